package webui_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/login"
	"github.com/cairn-kb/cairn/internal/surface/webui"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

const secret = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

var ada = kb.Actor{Kind: kb.Human, Name: "ada"}

// bed is a server with a browser that may be signed in.
type bed struct {
	*testing.T
	*apptest.Bed
	server *webui.Server
	answer http.Handler
	now    time.Time
	host   string
	cookie string
	ledger login.Ledger
	within int // how many requests were let in
}

func newBed(t *testing.T, set ...func(*webui.Options)) *bed {
	t.Helper()
	b := &bed{T: t, Bed: apptest.New(t), now: time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC), host: login.Host(secret) + ":22476"}
	opts := webui.Options{
		Memory: b.Bed.Lazy(), Secret: func() string { return secret }, Host: login.Host(secret),
		Now: func() time.Time { return b.now }, Ledger: login.Ledger{Dir: filepath.Join(t.TempDir(), "tickets")},
	}
	for _, s := range set {
		s(&opts)
	}
	var err error
	b.ledger = opts.Ledger
	if b.server, err = webui.New(opts); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.server.Close)
	b.answer = b.server.Handler(func(_ int64, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { b.within++; next.ServeHTTP(w, r) })
	},
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/event-stream") }))
	return b
}

// put stores a page in the space of the bed.
func (b *bed) put(slug, title, text string, allow ...string) {
	b.Helper()
	s, err := b.Lazy().Session(b.Context(), true)
	if err != nil {
		b.Fatal(err)
	}
	s.Actor = ada
	if _, err := change.Put(b.Context(), s, change.PutRequest{Ref: slug, Title: title, Text: []byte(text), Overwrite: true, WriteOptions: api.WriteOptions{AllowSecrets: allow}}); err != nil {
		b.Fatal(err)
	}
}

// do sends a request as a browser would, with pairs of headers.
func (b *bed) do(method, path string, headers ...string) *httptest.ResponseRecorder {
	b.Helper()
	r := httptest.NewRequestWithContext(b.Context(), method, "http://"+b.host+path, nil)
	if b.cookie != "" {
		r.AddCookie(&http.Cookie{Name: "cairn_session", Value: b.cookie})
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	if !b.server.Serves(r) {
		w.Code = http.StatusMisdirectedRequest
		return w
	}
	b.answer.ServeHTTP(w, r)
	return w
}

// signIn uses a link, and keeps the cookie.
func (b *bed) signIn() *httptest.ResponseRecorder {
	b.Helper()
	w := b.do("GET", "/login?"+url.Values{"ticket": {login.New(secret, login.Link, ada, b.now)}}.Encode())
	for _, c := range w.Result().Cookies() {
		b.cookie = c.Value
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" {
			b.Errorf("the cookie is %v", c)
		}
	}
	return w
}

func TestLogin(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	if w := b.do("GET", "/"); w.Code != http.StatusUnauthorized || strings.Contains(w.Body.String(), "action=") {
		t.Errorf("without a session: %d", w.Code)
	}
	link := "/login?" + url.Values{"ticket": {login.New(secret, login.Link, ada, b.now)}, "to": {"/page/people/ada"}}.Encode()
	first := b.do("GET", link, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate")
	if first.Code != http.StatusOK || !strings.Contains(first.Body.String(), `href="/page/people/ada"`) || first.Header().Get("Set-Cookie") == "" {
		t.Errorf("the link answers %d %s", first.Code, first.Body)
	}
	if w := b.do("GET", link); w.Code != http.StatusForbidden || w.Header().Get("Set-Cookie") != "" {
		t.Errorf("the link works twice: %d", w.Code)
	}
	late := "/login?ticket=" + login.New(secret, login.Link, ada, b.now)
	b.now = b.now.Add(login.LinkTime)
	if w := b.do("GET", late); w.Code != http.StatusForbidden {
		t.Errorf("the link works after its time: %d", w.Code)
	}
	b.signIn()
	if w := b.do("GET", "/"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "human:ada") {
		t.Errorf("with a session: %d", w.Code)
	}
	again := b.restarted()
	again.cookie = b.cookie
	if w := again.do("GET", "/"); w.Code != http.StatusOK {
		t.Errorf("the session ends with the server: %d", w.Code)
	}
	if w := b.do("POST", "/logout", "Sec-Fetch-Site", "same-origin"); w.Code != http.StatusOK || !strings.Contains(w.Header().Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("signing out: %d %v", w.Code, w.Header())
	}
	for name, bed := range map[string]*bed{"this server": b, "another server": again} {
		if w := bed.do("GET", "/"); w.Code != http.StatusUnauthorized {
			t.Errorf("the cookie of a session that was ended is valid for %s: %d", name, w.Code)
		}
	}
	b.signIn()
	b.now = b.now.Add(login.SessionTime)
	if w := b.do("GET", "/"); w.Code != http.StatusUnauthorized {
		t.Errorf("the session lasts for ever: %d", w.Code)
	}
}

// restarted is a server of the same memory, after this one or beside it.
func (b *bed) restarted() *bed {
	b.Helper()
	return newBed(b.T, func(o *webui.Options) {
		o.Ledger, o.Now = b.ledger, func() time.Time { return b.now }
	})
}

// Of several servers of a memory one accepts a link, and looking where it leads uses up
// nothing.
func TestALinkWorksOnce(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	other := b.restarted()
	link := "/login?ticket=" + login.New(secret, login.Link, ada, b.now)
	if w := b.do("HEAD", link); w.Code != http.StatusOK || w.Header().Get("Set-Cookie") != "" {
		t.Errorf("HEAD answers %d %v", w.Code, w.Header())
	}
	if w := b.do("GET", link); w.Code != http.StatusOK {
		t.Errorf("the link answers %d", w.Code)
	}
	if w := other.do("GET", link); w.Code != http.StatusForbidden || w.Header().Get("Set-Cookie") != "" {
		t.Errorf("another server accepts the link as well: %d", w.Code)
	}
	// Old ones are not kept.
	b.now = b.now.Add(login.LinkTime)
	b.signIn()
	if kept, err := os.ReadDir(b.ledger.Dir); err != nil || len(kept) != 1 {
		t.Errorf("kept are %v %v", kept, err)
	}
	// Where a link cannot be noted, it lets nobody in.
	if err := os.WriteFile(b.ledger.Dir+"-file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	broken := newBed(t, func(o *webui.Options) { o.Ledger.Dir = b.ledger.Dir + "-file" })
	if w := broken.signIn(); w.Code != http.StatusInternalServerError || broken.cookie != "" {
		t.Errorf("without a place to note it a link answers %d", w.Code)
	}
}

// A path takes the methods that it is for.
func TestMethods(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "A", "one")
	b.signIn()
	for _, tt := range []struct {
		method, path string
		want         int
		allow        string
	}{
		{"PUT", "/page/memory:a", 405, "GET, HEAD"}, {"DELETE", "/page/memory:a", 405, "GET, HEAD"}, {"OPTIONS", "/", 405, "GET, HEAD"},
		{"POST", "/spaces", 405, "GET, HEAD"}, {"PUT", "/restore", 405, "POST"}, {"PUT", "/none", 404, ""}, {"HEAD", "/page/memory:a", 200, ""},
	} {
		if w := b.do(tt.method, tt.path, "Sec-Fetch-Site", "same-origin"); w.Code != tt.want || w.Header().Get("Allow") != tt.allow {
			t.Errorf("%s %s: %d %q", tt.method, tt.path, w.Code, w.Header().Get("Allow"))
		}
	}
}

// A link leads to this server, whatever it asks for.
func TestLoginLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	if w := b.do("GET", "/login?"+url.Values{"ticket": {login.New(secret, login.Link, ada, b.now)}, "to": {"/page/a%3Bb"}}.Encode()); !strings.Contains(w.Body.String(), `href="/page/a%3Bb"`) {
		t.Errorf("a page with a semicolon: %s", w.Body)
	}
	for _, to := range []string{"https://evil.example", "//evil.example", `/\evil.example`, "javascript:alert(1)", "/;url=https://evil.example", "evil"} {
		w := b.do("GET", "/login?"+url.Values{"ticket": {login.New(secret, login.Link, ada, b.now)}, "to": {to}}.Encode())
		if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "evil") || strings.Contains(w.Body.String(), "alert") {
			t.Errorf("%s: %d %s", to, w.Code, w.Body)
		}
	}
}

// Every answer has the headers, whoever asks.
func TestHeaders(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.signIn()
	for _, path := range []string{"/", "/login", "/nothing", "/assets/cairn.css", "/page/none", "/logout"} {
		h := b.do("GET", path).Header()
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'", "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff",
			"Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if !strings.Contains(h.Get(name), want) {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
		for _, want := range []string{"frame-ancestors 'none'", "require-trusted-types-for 'script'", "base-uri 'none'"} {
			if !strings.Contains(h.Get("Content-Security-Policy"), want) {
				t.Errorf("%s: no %s", path, want)
			}
		}
		if strings.Contains(h.Get("Content-Security-Policy"), "unsafe") {
			t.Errorf("%s: %s", path, h.Get("Content-Security-Policy"))
		}
	}
}

// A page of another origin can do nothing, with the session's cookie or without it.
func TestOtherOrigins(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "A", "one")
	b.put("a", "A", "two")
	b.signIn()
	form := "/restore?ref=memory:a&version=1"
	for _, tt := range []struct {
		name    string
		method  string
		path    string
		headers []string
		want    int
	}{
		{"form of another port", "POST", form, []string{"Sec-Fetch-Site", "same-site", "Origin", "http://" + login.Host(secret) + ":1"}, 403},
		{"form of another site", "POST", form, []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, 403},
		{"form typed by nobody", "POST", form, []string{"Sec-Fetch-Site", "none"}, 403},
		{"old browser, no origin", "POST", form, nil, 403},
		{"old browser, null origin", "POST", form, []string{"Origin", "null"}, 403},
		{"old browser, another origin", "POST", form, []string{"Origin", "http://127.0.0.1:22476"}, 403},
		{"script of another site", "GET", "/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty"}, 403},
		{"image of another port", "GET", "/", []string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"}, 403},
		{"frame of another site", "GET", "/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403},
		{"own script", "GET", "/", []string{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors"}, 200},
		{"typed", "GET", "/", []string{"Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate"}, 200},
		{"another method", "DELETE", "/", []string{"Sec-Fetch-Site", "cross-site"}, 403},
	} {
		if w := b.do(tt.method, tt.path, tt.headers...); w.Code != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, w.Code, tt.want)
		}
	}
	w := b.do("GET", "/page/memory:a?x=1", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `href="/page/memory:a?x=1"`) || strings.Contains(w.Body.String(), "two") {
		t.Errorf("a link of another site answers %d %s", w.Code, w.Body)
	}
	if w := b.do("GET", "/page/memory:a"); !strings.Contains(w.Body.String(), "two") {
		t.Errorf("the page was changed: %s", w.Body)
	}
}

// Under any other name nothing of the memory is served: a name that leads here (rebinding), an
// address, and the name of another memory.
func TestHosts(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.signIn()
	for host, want := range map[string]int{
		b.host: 200, strings.ToUpper(b.host): 200, "evil.example": 421, "127.0.0.1:22476": 421, "localhost:22476": 421,
		login.Host("another") + ":22476": 403, "x." + b.host: 421, "": 421,
	} {
		b.host = host
		if w := b.do("GET", "/"); w.Code != want {
			t.Errorf("%q: %d, want %d", host, w.Code, want)
		}
	}
	none := newBed(t, func(o *webui.Options) { o.Secret = func() string { return "" } })
	if w := none.do("GET", "/"); w.Code != 403 {
		t.Errorf("without a token: %d", w.Code)
	}
}

// A new token ends sessions and links. The address stays, so that drafts are offered there after
// another login.
func TestReplacedToken(t *testing.T) {
	t.Parallel()
	now := secret
	b := newBed(t, func(o *webui.Options) { o.Secret = func() string { return now } })
	b.put("a", "A", "Text of a.")
	b.signIn()
	now = "another"
	for path, want := range map[string]int{
		"/page/memory:a": http.StatusUnauthorized, "/save": http.StatusUnauthorized,
		"/login?ticket=" + login.New(secret, login.Link, ada, b.now): http.StatusForbidden,
	} {
		method := "GET"
		if path == "/save" {
			method = "POST"
		}
		w := b.do(method, path, "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "navigate")
		text := w.Body.String()
		if w.Code != want || !strings.Contains(text, "<code>cairn web</code>") || strings.Contains(text, "Text of a") || w.Header().Get("Set-Cookie") != "" ||
			strings.Contains(text, "kept as a draft in this browser") != (method == "POST") {
			t.Errorf("%s %s: %d %s", method, path, w.Code, text)
		}
	}
	if b.within != 0 {
		t.Errorf("%d requests were let in", b.within)
	}
	w := b.do("GET", "/login?ticket="+login.New(now, login.Link, ada, b.now))
	for _, c := range w.Result().Cookies() {
		b.cookie = c.Value
	}
	if w := b.do("GET", "/page/memory:a"); w.Code != http.StatusOK {
		t.Errorf("after another login: %d", w.Code)
	}
}

// At an address of another memory, which had the port before, a tab may be open with text that
// was typed: the answer says where it is and how to get in.
func TestFormerAddress(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "A", "Text of a.")
	b.signIn()
	b.host = login.Host("another") + ":22476"
	for _, method := range []string{"GET", "POST"} {
		w := b.do(method, "/save", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "navigate")
		text := w.Body.String()
		if w.Code != http.StatusForbidden || !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") ||
			strings.Contains(text, "Nothing was saved") != (method == "POST") || strings.Contains(text, "Text of a") {
			t.Errorf("%s: %d %s", method, w.Code, text)
		}
		for _, want := range []string{"The address has changed", "<code>cairn web</code>", "kept as a draft in this browser", "/kept.js"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in %s", method, want, text)
			}
		}
		for rest := range strings.SplitSeq(text, `"/assets/`) {
			if path, _, ok := strings.Cut(rest, `"`); ok && strings.Contains(path, "kept.js") {
				if w := b.do("GET", "/assets/"+path); w.Code != http.StatusOK || !strings.Contains(w.Header().Get("Content-Type"), "javascript") {
					t.Errorf("%s: %d", path, w.Code)
				}
			}
		}
	}
	if b.within != 0 {
		t.Errorf("%d requests were let in", b.within)
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *webui.Options) { o.ReadOnly = true })
	b.put("a", "A", "one")
	b.put("a", "A", "two")
	b.signIn()
	for _, path := range []string{"/", "/history/memory:a", "/spaces", "/page/memory:a"} {
		w := b.do("GET", path)
		if w.Code != http.StatusOK || strings.Count(w.Body.String(), `method="post"`) != 1 { // to sign out
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	for _, path := range []string{"/restore", "/sync"} {
		if w := b.do("POST", path, "Sec-Fetch-Site", "same-origin"); w.Code != http.StatusNotFound && w.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// Behind a proxy with a path of its own every address has that path.
func TestPublicURL(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *webui.Options) { o.PublicURL = "https://example.org/notes/" })
	b.put("a", "A", "one")
	b.host = "example.org"
	w := b.do("GET", "/notes/login?ticket="+login.New(secret, login.Link, ada, b.now))
	if c := w.Header().Get("Set-Cookie"); !strings.Contains(c, "Path=/notes/;") || !strings.Contains(c, "Secure") {
		t.Fatalf("the cookie is %q", c)
	}
	b.cookie = w.Result().Cookies()[0].Value
	for _, path := range []string{"/notes/", "/notes/page/memory:a", "/notes/spaces"} {
		w := b.do("GET", path)
		for _, m := range regexp.MustCompile(`(?:href|src|action)="(/[^"]*)"`).FindAllStringSubmatch(w.Body.String(), -1) {
			if !strings.HasPrefix(m[1], "/notes/") {
				t.Errorf("%s leads to %s", path, m[1])
			}
		}
		if w.Code != http.StatusOK {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	// Outside its path there is nothing, and what is not quite the path is outside.
	for _, path := range []string{"/", "/notesx/", "/notesx/login", "/page/memory:a", "/noteslogin"} {
		if w := b.do("GET", path); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "There is no such page") || w.Header().Get("X-Frame-Options") == "" {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := b.do("GET", "/notes"); w.Code != http.StatusPermanentRedirect || w.Header().Get("Location") != "/notes/" {
		t.Errorf("without the slash: %d %v", w.Code, w.Header())
	}
	// On this machine there is no proxy.
	b.host, b.cookie = login.Host(secret)+":22476", ""
	if w := b.signIn(); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "/notes") || strings.Contains(w.Header().Get("Set-Cookie"), "Secure") {
		t.Errorf("signing in on this machine: %d %v", w.Code, w.Header())
	}
	if w := b.do("GET", "/page/memory:a"); w.Code != http.StatusOK || strings.Contains(w.Body.String(), `"/notes`) {
		t.Errorf("a page on this machine: %d", w.Code)
	}
	for _, bad := range []string{"ftp://a", "example.org", "https://u:p4ss@a", "u:p4ss@a", "https://a?p4ss", "https://u:p4ss@%zz"} {
		if _, err := webui.CheckPublic(bad); err == nil || strings.Contains(err.Error(), "p4ss") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// The actor is the person of the session.
func TestActorIsOfTheSession(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "A", "one")
	b.put("a", "A", "two")
	b.signIn()
	r := httptest.NewRequestWithContext(t.Context(), "POST", "http://"+b.host+"/restore", strings.NewReader("ref=memory:a&version=1"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Cairn-Actor", "human:eve")
	r.Header.Set("Cairn-Agent", "eve")
	r.AddCookie(&http.Cookie{Name: "cairn_session", Value: b.cookie})
	w := httptest.NewRecorder()
	b.answer.ServeHTTP(w, r)
	if w.Code != http.StatusSeeOther {
		t.Fatalf("restore answers %d %s", w.Code, w.Body)
	}
	if got := b.do("GET", "/history/memory:a").Body.String(); !strings.Contains(got, "human:ada") || strings.Contains(got, "eve") {
		t.Errorf("the history is %s", got)
	}
}

// attach makes a space of a directory of the bed.
func (b *bed) attach(name string) {
	b.Helper()
	s, err := b.Lazy().Session(b.Context(), true)
	if err != nil {
		b.Fatal(err)
	}
	s.Actor = ada
	if _, err := gitsync.AddSpace(b.Context(), s, space.AddRequest{Name: name, Root: filepath.Join(b.Home, name)}); err != nil {
		b.Fatal(err)
	}
}
