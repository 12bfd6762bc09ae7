package browser

import (
	"bytes"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

var (
	requests = regexp.MustCompile(`<code class="api">([A-Z]+) ([^<]*)</code>`)
	commands = regexp.MustCompile(`<code class="command">([^<]*)</code>`)
)

// What the foot of a screen names gives its data: the request and the command answer, and
// the command with what the request answers, without fields that an agent does not need.
func TestFootsAreTrue(t *testing.T) {
	p := begin(t)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	// The name leads to this machine, as browsers have it.
	address, err := url.Parse(p.address)
	if err != nil {
		t.Fatal(err)
	}
	direct := "http://127.0.0.1:" + address.Port()
	get := func(link string, headers ...string) (int, []byte) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, direct+link, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(headers) == 0 {
			r.Host = address.Host
			for _, c := range jar.Cookies(address) {
				r.AddCookie(c)
			}
		}
		for i := 0; i+1 < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if len(headers) == 0 {
			jar.SetCookies(address, answer.Cookies())
		}
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, text
	}
	get(strings.TrimPrefix(p.link("/"), p.address))
	p.run("embed") // so that no answer changes between a request and its command
	token := strings.TrimSpace(p.run("serve", "token", "--format", "human"))
	tried := map[string]bool{}
	for _, s := range screens {
		_, page := get(s.path)
		asked, typed := requests.FindAllSubmatch(page, -1), commands.FindAllSubmatch(page, -1)
		if len(asked) == 0 && s.name != "missing" && s.name != "connect" || // the settings of programs are no data of the memory
			len(asked) != len(typed) {
			t.Errorf("%s names %d requests and %d commands", s.name, len(asked), len(typed))
			continue
		}
		for i := range asked {
			request, command := html.UnescapeString(string(asked[i][2])), html.UnescapeString(string(typed[i][1]))
			if string(asked[i][1]) != http.MethodGet { // a preview of what a person may do alone
				dry := strings.Contains(request, `"dry_run":true`) || strings.Contains(request, "?dry_run=true")
				if !dry || !strings.Contains(command, `"dry_run":true`) {
					t.Errorf("%s was made by a request that writes: %s", s.name, request)
				}
				continue
			}
			if tried[request] || s.name == "missing" {
				continue
			}
			tried[request] = true
			status, answer := get(request, "Authorization", "Bearer "+token)
			if status != http.StatusOK {
				t.Errorf("%s: %s answers %d: %s", s.name, request, status, answer)
				continue
			}
			line := exec.Command("sh", "-c", strings.Replace(command, "cairn", p.cairn, 1))
			line.Env, line.Dir = p.command().Env, p.home
			said, err := line.Output()
			if err != nil {
				t.Errorf("%s: %s: %v", s.name, command, err)
				continue
			}
			if one, two := plain(t, answer), plain(t, said); !within(two, one) {
				t.Errorf("%s: %s and %s differ:\n%s\n%s", s.name, request, command, answer, said)
			}
		}
	}
	if len(tried) < 15 {
		t.Errorf("only %d requests were tried", len(tried))
	}
}

// within reports whether all that is in one answer is in the other.
func within(small, large any) bool {
	switch x := small.(type) {
	case map[string]any:
		y, ok := large.(map[string]any)
		for name, v := range x {
			ok = ok && within(v, y[name])
		}
		return ok
	case []any:
		y, ok := large.([]any)
		ok = ok && len(x) == len(y)
		for i := range x {
			ok = ok && within(x[i], y[i])
		}
		return ok
	}
	return reflect.DeepEqual(small, large)
}

// plain is an answer without what depends on the process and the moment.
func plain(t *testing.T, text []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	var out any
	if err := d.Decode(&out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var clean func(any)
	clean = func(x any) {
		switch x := x.(type) {
		case map[string]any:
			for _, name := range []string{"notes", "synced_at", "watch", "activity", "checks", "problems", "database_bytes", "unembedded"} {
				delete(x, name)
			}
			if _, check := x["state"]; check && x["reason"] != nil {
				delete(x, "reason")
			}
			for _, v := range x {
				clean(v)
			}
		case []any:
			for _, v := range x {
				clean(v)
			}
		}
	}
	clean(out)
	return out
}
