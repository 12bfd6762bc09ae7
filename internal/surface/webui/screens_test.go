package webui_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// attacks would do something in a screen that shows them without escaping.
var attacks = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `javascript:alert(1)`, `</title><script>alert(1)</script>`, `[x](javascript:alert(1))`, "a\u202eb",
}

// faults reports what no screen may hold: scripts of others, event handlers, styles,
// addresses that run something or are of another host.
func faults(page string) (out []string) {
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return out
		}
		token := z.Token()
		if kind == html.TextToken && strings.ContainsAny(token.Data, "\u202e") {
			out = append(out, "an invisible character")
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		if slices.Contains([]string{"style", "iframe", "object", "embed", "base", "video", "audio"}, token.Data) {
			out = append(out, token.Data)
		}
		for _, a := range token.Attr {
			value := strings.ToLower(strings.TrimSpace(a.Val))
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "srcdoc":
				out = append(out, token.Data+" "+a.Key)
			case token.Data == "script" && (a.Key != "src" && a.Key != "type" && a.Key != "defer" && a.Key != "blocking" || a.Key == "src" && !strings.HasPrefix(value, "/assets/")):
				out = append(out, "script "+a.Key+" "+value)
			case slices.Contains([]string{"href", "src", "action", "xlink:href"}, a.Key) && !strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "#") &&
				!slices.ContainsFunc([]string{"http://", "https://", "mailto:", "obsidian:", "vscode:"}, func(s string) bool { return strings.HasPrefix(value, s) }):
				out = append(out, token.Data+" "+a.Key+" "+value)
			case a.Key == "src" && !strings.HasPrefix(value, "/"), strings.HasPrefix(value, "//"):
				out = append(out, "loads "+value)
			}
		}
		if token.Data == "script" && kind == html.StartTagToken {
			if z.Next() == html.TextToken && strings.TrimSpace(z.Token().Data) != "" {
				out = append(out, "script")
			}
		}
	}
}

// Whatever pages, titles, tags, properties, messages, actors and addresses hold, no screen
// becomes anything else.
func TestScreensAreNotTakenOver(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s, err := b.Lazy().Session(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	var refs []string
	for i, attack := range attacks {
		s.Actor = kb.Actor{Kind: kb.Agent, Name: attack}
		body := "---\ntags: ['" + strings.ReplaceAll(attack, "'", "''") + "']\nnote: '" + strings.ReplaceAll(attack, "'", "''") + "'\n---\n# " + attack + "\n\nneedle " + attack +
			"\n\n- [ ] " + attack + " 📅 2026-11-20\n- [" + attack + "] fact\n- knows [[" + attack + "]] @2020.. (" + attack + ")\n- [[" + attacks[(i+1)%len(attacks)] + "]]\n\n---\n- 2026-11-27 | " + attack + " — " + attack + "\n"
		w, err := change.Put(t.Context(), s, change.PutRequest{Ref: "p" + string(rune('a'+i)), Title: attack, Text: []byte(body)})
		if err != nil {
			t.Logf("%q is not stored: %v", attack, err)
			continue
		}
		refs = append(refs, w.Pages[0].Ref)
	}
	if len(refs) < 4 {
		t.Fatalf("only %d pages are stored", len(refs))
	}
	base := "views:\n"
	for _, attack := range attacks {
		base += "  - type: table\n    name: '" + strings.ReplaceAll(attack, "'", "''") + "'\n    order: [file.name, note.note]\n"
	}
	if _, err := change.Put(t.Context(), s, change.PutRequest{Ref: "views/all.base", Text: []byte(base)}); err != nil {
		t.Fatal(err)
	}
	b.put("mx", "Mx", "# Mx\n\n"+strings.Join(attacks[:5], "\n\n")+"\n")
	b.put("my", "My", "# My\n\n"+strings.Join(attacks[:5], "\n\n")+"\n")
	b.signIn()
	past := "/at/" + s.Now().Format(time.DateOnly) + "/"
	if w := b.do("GET", past+"page/"+refs[0]); w.Code != http.StatusOK {
		t.Fatalf("the past answers %d: %s", w.Code, w.Body)
	}
	if w := b.do("GET", "/merge?ref=memory:mx&into=memory:my"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "alert(1)") {
		t.Fatalf("the preview of a merge answers %d: %s", w.Code, w.Body)
	}
	if w := b.do("GET", "/page/memory:views/all.base"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "needle") && !strings.Contains(w.Body.String(), "<table") {
		t.Fatalf("the view answers %d: %s", w.Code, w.Body)
	}
	paths := []string{"/", "/?q=needle", "/?q=needle&view=agent", "/graph", "/timeline", "/tasks?show=all", "/activity", "/spaces", "/health", "/setup", "/today", "/new", "/daily", "/take-back?write=1",
		"/time", "/table", "/table?space=memory&columns=note,tags", "/leaving", past, past + "?q=needle", past + "graph", past + "timeline", past + "tasks?show=all", past + "table?space=memory&columns=note,tags", "/page/memory:views/all.base", "/merge?ref=memory:mx&into=memory:my"}
	for _, ref := range refs {
		paths = append(paths, "/table?columns=note&edit="+url.QueryEscape(ref), "/merge?into=memory:pa&ref="+url.QueryEscape(ref), "/merge?ref=memory:pa&into="+url.QueryEscape(ref), past+"page/"+ref, past+"graph?ref="+url.QueryEscape(ref), "/page/memory:views/all.base?edit="+url.QueryEscape(ref), "/blame/"+ref, "/delete?ref="+url.QueryEscape(ref), "/move?to=elsewhere/&ref="+url.QueryEscape(ref), "/page/"+ref, "/history/"+ref, "/graph?ref="+url.QueryEscape(ref))
	}
	for _, attack := range attacks {
		q := url.QueryEscape(attack)
		paths = append(paths, "/time?to="+q, "/time?day="+q, "/time?year="+q, past+"page/"+url.PathEscape(attack), past+"?q="+q, "/at/"+url.PathEscape(attack)+"/", "/leaving?x="+q, "/merge?ref="+q+"&into="+q, "/merge?ref=memory:pa&into="+q,
			"/table?type="+q, "/table?tag="+q, "/table?path="+q, "/table?where="+q, "/table?where=note%3D"+q, "/table?columns="+q, "/table?sort="+q, "/table?edit="+q, "/table?space="+q, "/table?space=memory&name="+q, "/table?columns="+q+"&edit=memory:pa", "/page/memory:views/all.base?sort="+q+"&view="+q)
		paths = append(paths, "/today?wrote="+q, "/new?title="+q, "/edit/"+url.PathEscape(attack), "/take-back?write=1&ref="+q+"&hunk="+q, "/move?ref="+q+"&to="+q, "/page/pa?merged="+q, "/?q="+q, "/?q="+q+"&view=agent", "/?tag="+q, "/page/"+url.PathEscape(attack), "/timeline?after="+q, "/tasks?show="+q, "/activity?since="+q, "/graph?space="+q, "/graph?ref="+q, "/file/memory/"+url.PathEscape(attack), "/?q=x&mode="+q, "/?q=x&offset="+q)
	}
	for _, path := range paths {
		w := b.do("GET", path)
		if w.Code == http.StatusInternalServerError {
			t.Errorf("%s: %s", path, w.Body)
		}
		if kind := w.Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/html") {
			continue // of a file, which browsers do not read as HTML
		}
		for _, fault := range faults(w.Body.String()) {
			if fault != "an invisible character" || !strings.HasPrefix(path, "/edit/") {
				t.Errorf("%s: %s", path, fault)
			}
		}
	}
	for _, ref := range refs { // the form has the text as it is, with characters that are not shown
		for _, fault := range faults(b.do("GET", "/edit/"+ref).Body.String()) {
			if fault != "an invisible character" {
				t.Errorf("/edit/%s: %s", ref, fault)
			}
		}
	}
	if len(faults(`<script>alert(1)</script>`)) == 0 || len(faults(`<a href="javascript:x">`)) == 0 || len(faults(`<img src="https://x/y">`)) == 0 {
		t.Error("faults finds nothing")
	}
}

// Attachments: pictures are shown, nothing that can run is, and files that are hidden or
// ignored are not there.
func TestFiles(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Dir("notes", map[string]string{
		"a.md": "![[a.png]]", "a.png": "\x89PNG\r\n\x1a\n0000", "x.svg": "<svg onload=alert(1)>", "x.html": "<script>alert(1)</script>", "x.js": "alert(1)", "fake.png": "<script>alert(1)</script>", "x.txt": "x", "x.pdf": "%PDF-1.4\n\xe2\xe3\n",
		".hidden.png": "x", ".git/config": "x", ".gitignore": "*.secret\n", "a.secret": "x", "../outside.png": "x",
	})
	b.attach("notes")
	b.signIn()
	for path, want := range map[string]int{
		"/file/notes/a.png": 200, "/file/notes/x.svg": 200, "/file/notes/x.html": 200, "/file/notes/x.js": 200, "/file/notes/fake.png": 200, "/file/notes/x.txt": 200, "/file/notes/x.pdf": 200, "/file/notes/.hidden.png": 404, "/file/notes/.git/config": 404,
		"/file/notes/a.secret": 404, "/file/notes/%2e%2e/outside.png": 404, "/file/notes/..%2foutside.png": 404, "/file/none/a.png": 404, "/file/notes/.cairn/space.toml": 404,
	} {
		w := b.do("GET", path)
		if ok := w.Code == 200; ok != (want == 200) {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
		if w.Code != 200 {
			continue
		}
		h := w.Header()
		kind := map[string]string{"/file/notes/a.png": "image/png", "/file/notes/x.pdf": "application/pdf"}[path]
		if inline := h.Get("Content-Disposition") == ""; inline != (kind != "") || inline && h.Get("Content-Type") != kind || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s has the headers %v", path, h)
		}
	}
}

// A picture is in the directory of its page or, as notes write it, at a path from the top.
func TestPictures(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Dir("notes", map[string]string{
		"people/ada.md":  "# Ada\n\n![pic](pic.png) and ![[p2.png]]\n\n![[near.png|300]] and ![[att/p2.png]]\n",
		"people/eve.org": "#+title: Eve\n\nSee [[file:../people/pic.png]].\n",
		"people/pic.png": "x", "people/near.png": "x", "p2.png": "x", "att/p2.png": "x",
	})
	b.attach("notes")
	b.signIn()
	for path, want := range map[string][]string{"ada": {"people/pic.png", "p2.png", "people/near.png", "att/p2.png"}, "eve": {"people/pic.png"}} {
		shown := b.do("GET", "/page/notes:people/"+path).Body.String()
		for _, name := range want {
			if !strings.Contains(shown, `<img src="/file/notes/`+name+`"`) {
				t.Errorf("%s does not show %s:\n%s", path, name, shown)
			}
		}
	}
}

// An embedded page has links and pictures of its own.
func TestEmbeddedPages(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Dir("notes", map[string]string{
		"a.md": "![[people/ada]]\n", "people/ada.md": "# Ada\n\nKnows [[Eve]].\n\n![x](pic.png)\n\n![[Eve]]\n", "people/Eve.md": "# Eve\n\nFrom [[a]].\n\n![[a]]\n", "people/pic.png": "x",
	})
	b.attach("notes")
	b.signIn()
	shown := b.do("GET", "/page/notes:a").Body.String()
	for _, want := range []string{`Knows <a class="page" href="/page/notes:people`, `From <a class="page" href="/page/notes:a"`, `<img src="/file/notes/people/pic.png"`, "this page is shown already"} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %s in\n%s", want, shown)
		}
	}
}

// Credentials are masked in differences and in text files. Of a key that spans lines the
// lines that did not change are masked as well.
func TestCredentialsAreMasked(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const key = "AKIAIOSFODNN7EXAMPLQ"
	private := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("MIIEowIBAAKCAQEAq3mZbT0vV8yX1wQ2rN5sK7jH4gF6dS9aP\n", 12)
	end := "-----END RSA PRIVATE KEY-----\n"
	b.Dir("notes", map[string]string{
		"a.md": "# A\n\naws_access_key_id = " + key + "\n\n" + private + end, "keys.txt": "aws_access_key_id = " + key + "\ngrün\n",
		"board.canvas": `{"nodes":[{"id":"1","type":"text","text":"Card ` + key + `","x":0,"y":0,"width":400,"height":120}]}`,
	})
	b.attach("notes")
	s, err := b.Lazy().Session(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	read := func() {
		t.Helper()
		if _, err := gitsync.Sync(t.Context(), s, gitsync.SyncRequest{Space: "notes"}); err != nil {
			t.Fatal(err)
		}
	}
	read()
	b.Dir("notes", map[string]string{"a.md": "# A\n\naws_access_key_id = " + key + " and\n\n" + private + "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo\n" + end + "one\n"})
	read()
	b.signIn()
	for path, want := range map[string]string{
		"/history/notes:a": "xxxxxxxx", "/history/notes:a?from=1&to=2": "one", "/file/notes/keys.txt": "grün", "/file/notes/a.md": "xxxxxxxx", "/page/notes:a": "xxxxxxxx",
		"/blame/notes:a": "xxxxxxxx", "/page/notes:board.canvas": "Card xxxxxxxx",
	} {
		w := b.do("GET", path)
		for _, secret := range []string{key, "MIIEowIBAAKCAQEA", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo"} {
			if strings.Contains(w.Body.String(), secret) {
				t.Errorf("%s shows %s", path, secret)
			}
		}
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %.3000s", path, w.Code, w.Body)
		}
	}
	if page := b.do("GET", "/page/notes:a").Body.String(); !strings.Contains(page, "2 credentials are masked") || !strings.Contains(page, `href="/page/notes:a?credentials=shown"`) {
		t.Errorf("nothing says that credentials are masked: %s", page)
	}
	if page := b.do("GET", "/page/notes:a?credentials=shown").Body.String(); !strings.Contains(page, key) || !strings.Contains(page, `href="/page/notes:a"`) {
		t.Errorf("they cannot be shown: %s", page)
	}
	if w := b.do("GET", "/history/notes:a?from=x"); w.Code != http.StatusBadRequest {
		t.Errorf("no number: %d", w.Code)
	}
}

// Pictures of other servers are loaded only of those that the reader named, and by the policy of
// that page alone.
func TestPicturesOfOtherServers(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "A", "![One](https://Pics.example.org:8443/a.png?x=1&y=2)\n\n<img src=\"https://other.example/b.png\" alt=\"Two\">\n\n![Three](//other.example/c.png) ![Four](https://a;b/c.png)\n")
	b.signIn()
	const one, two = "https://pics.example.org:8443", "https://other.example"
	ask := func(origins ...string) (page, policy string) {
		w := b.do("GET", "/page/memory:a?"+url.Values{"pictures": origins}.Encode())
		return w.Body.String(), w.Header().Get("Content-Security-Policy")
	}
	page, policy := ask()
	if strings.Contains(page, `<img src="http`) || strings.Contains(page, `<img src="//`) || !strings.Contains(policy, "img-src 'self';") {
		t.Errorf("pictures are loaded unasked: %s %s", policy, page)
	}
	for _, want := range []string{"Picture on other.example: ", `href="/page/memory:a?pictures=https%3A%2F%2Fother.example" rel="nofollow">Show</a>`, `>Four</a></span>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s: %s", want, page)
		}
	}
	page, policy = ask(one)
	if !strings.Contains(page, `<img src="https://Pics.example.org:8443/a.png?x=1&amp;y=2" alt="One" loading="lazy">`) || strings.Contains(page, `<img src="https://other`) || !strings.Contains(policy, "img-src 'self' "+one+";") {
		t.Errorf("asked for one: %s %s", policy, page)
	}
	if !strings.Contains(page, `?pictures=https%3A%2F%2Fpics.example.org%3A8443&amp;pictures=https%3A%2F%2Fother.example"`) {
		t.Errorf("the next one is not added: %s", page)
	}
	page, policy = ask(one, two)
	if strings.Count(page, `<img src="https://`) != 2 || !strings.Contains(policy, "img-src 'self' "+one+" "+two+";") {
		t.Errorf("asked for both: %s %s", policy, page)
	}
	for _, bad := range []string{"https://a;script-src *", "https://a script-src", "https://*", "javascript:x", "//a", "https://", "data:", "https://a,b", "https://a'b"} {
		if _, policy := ask(bad); !strings.Contains(policy, "img-src 'self';") || strings.Contains(policy, "script-src *") {
			t.Errorf("%q makes the policy %s", bad, policy)
		}
	}
}

// Every filter of the address narrows the start page.
func TestFiltersOfTheStartPage(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "A", "one")
	b.signIn()
	for _, filter := range []string{"before=2026-01-01", "after=2026-01-01", "tag=x"} {
		if w := b.do("GET", "/?"+filter); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "/api/v1/recall") || !strings.Contains(w.Body.String(), filter) {
			t.Errorf("%s: %d %.2000s", filter, w.Code, w.Body)
		}
	}
}

// Before anything is stored every screen says so, and none fails.
func TestScreensOfNothing(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.signIn()
	for _, path := range []string{"/", "/?q=x", "/?q=x&view=agent", "/graph", "/timeline", "/tasks", "/activity", "/spaces", "/health", "/setup"} {
		if w := b.do("GET", path); w.Code != http.StatusOK {
			t.Errorf("%s: %d %.1500s", path, w.Code, w.Body)
		}
	}
	for _, path := range []string{"/", "/?q=x", "/?q=x&mode=fts", "/?type=note", "/?q=x&view=agent", "/graph", "/table"} {
		text := b.do("GET", path).Body.String()
		for _, want := range []string{`href="/start"`, `href="/new"`, `href="/today"`, "cairn space add"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %s", path, want)
			}
		}
		if text, _, _ = strings.Cut(text, "<pre"); strings.Contains(text, "remember or write") {
			t.Errorf("%s names tools of agents", path)
		}
	}
	if strings.Contains(b.do("GET", "/new").Body.String(), "<select name=\"space\"") {
		t.Error("the form of a new page chooses among no spaces")
	}
	b.put("a", "A", "one")
	if text := b.do("GET", "/at/2020-01-01/?q=one").Body.String(); !strings.Contains(text, "Nothing was stored on 2020-01-01 yet") || !strings.Contains(text, `href="/?q=one"`) {
		t.Errorf("before the first write: %s", text)
	}
	if text := b.do("GET", "/?q=other").Body.String(); !strings.Contains(text, "No page was found") {
		t.Errorf("without a hit: %s", text)
	}
	for _, path := range []string{"/", "/?q=one", "/graph", "/timeline", "/page/memory:a", "/history/memory:a", "/graph?ref=memory:a"} {
		if w := b.do("GET", path); w.Code != http.StatusOK {
			t.Errorf("%s of one page: %d %.1500s", path, w.Code, w.Body)
		}
	}
}

// The map of a space is narrowed to a time, on the screen and in what the canvas draws.
func TestMapOfATime(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("old", "Old", "---\ndate: 2020-05-01\n---\nOld.\n")
	b.put("new", "New", "---\ndate: 2026-05-01\n---\nNew.\n")
	b.signIn()
	for filter, want := range map[string]string{"": "old new", "?after=2025-01-01": "new", "?before=2025-01-01": "old", "?after=2019-01-01&before=2021-01-01": "old"} {
		for _, screen := range []string{"/graph", "/graph.json"} {
			text := b.do("GET", screen+filter).Body.String()
			for _, name := range []string{"old", "new"} {
				if strings.Contains(text, "memory:"+name) != strings.Contains(want, name) {
					t.Errorf("%s%s has not only %s", screen, filter, want)
				}
			}
		}
	}
	b.put("letters/ada", "Ada", "---\ntype: person\n---\nTo Ada.\n")
	for by, want := range map[string]string{"": "person", "?by=type": "person", "?by=folder": "letters", "?by=folder&type=person": "letters"} {
		if text := b.do("GET", "/graph"+by).Body.String(); !strings.Contains(text, `data-type="`+want+`"`) {
			t.Errorf("the legend of %s has no %s: %s", by, want, text)
		}
		if text := b.do("GET", "/graph.json"+by).Body.String(); !strings.Contains(text, `"Ada","`+want+`",`) {
			t.Errorf("the map of %s has no %s: %s", by, want, text)
		}
	}
	if text := b.do("GET", "/graph?after=2025-01-01").Body.String(); !strings.Contains(text, "graph.json?space=memory&amp;after=2025-01-01") {
		t.Errorf("the canvas draws something else: %s", text)
	}
}

// A footnote is shown with each part that refers to it, and its links lead where they do.
func TestLinksInFootnotesOfOtherParts(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "a large page would take longer than it may")
	b := newBed(t)
	b.put("mill", "Mill", "# Mill\n")
	b.put("large", "Large", "# Large\n\nFirst[^n].\n\n"+strings.Repeat("One of many sentences.\n\n", 10_000)+"[^n]: By the [[mill]].\n")
	b.signIn()
	page := b.do("GET", "/page/large").Body.String()
	if !strings.Contains(page, "The next part") || !regexp.MustCompile(`By the <a class="page" href="/page/[^"]*mill"`).MatchString(page) {
		t.Errorf("%q", regexp.MustCompile(`By the .{0,100}`).FindString(page))
	}
}

// A large page is shown in parts: each leads to the next, and a hit to the part with its line.
func TestPartsOfALargePage(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "a large page would take longer than it may")
	b := newBed(t)
	var text strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&text, "Sentence %d is one of many about the engine and the mill that turns it.\n\n", i)
	}
	b.put("large", "Large", "# Large\n\n"+text.String())
	b.put("small", "Small", "# Small\n\nOne part.\n")
	b.signIn()
	next := regexp.MustCompile(`<a href="([^"]*from=(\d+)[^"]*)" rel="next">`)
	at, parts, last := "/page/large", 0, 0
	for at != "" && parts < 9 {
		page := b.do("GET", at).Body.String()
		parts++
		for _, m := range regexp.MustCompile(`Sentence (\d+) `).FindAllStringSubmatch(page, -1) {
			if m[1] != fmt.Sprint(last) {
				t.Fatalf("part %d has sentence %s, not %d", parts, m[1], last)
			}
			last++
		}
		at = ""
		if m := next.FindStringSubmatch(page); m != nil {
			at = html.UnescapeString(m[1])
		}
	}
	if parts < 2 || last != 6000 {
		t.Errorf("%d parts with %d sentences", parts, last)
	}
	hit := b.do("GET", "/page/large?line=11808").Body.String()
	if !regexp.MustCompile(`id="here"[^>]*>Sentence 5900 `).MatchString(hit) || !strings.Contains(hit, "The part before") {
		t.Errorf("the hit is not in its part: %q", regexp.MustCompile(`id="[^"]*"[^>]*>Sentence 5900 `).FindAllString(hit, 3))
	}
	if small := b.do("GET", "/page/small?line=3").Body.String(); strings.Contains(small, "are shown.") {
		t.Error("a small page has parts")
	}
}

// Each part of a large page is what it is in the whole: metadata, code, credentials and
// definitions are those of the page.
func TestPartsAreOfTheWhole(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "a large page would take longer than it may")
	b := newBed(t)
	r := rand.New(rand.NewPCG(1, 2))
	key := "-----BEGIN RSA " + "PRIVATE KEY-----\n"
	var secret []string
	for range 40 {
		line := make([]byte, 64)
		for i := range line {
			line[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[r.IntN(64)]
		}
		secret = append(secret, string(line))
		key += string(line) + "\n"
	}
	key += "-----END RSA " + "PRIVATE KEY-----\n"
	var text strings.Builder
	fill := func(size int) {
		for from := text.Len(); text.Len()-from < size; {
			text.WriteString("A sentence about the engine and the mill that turns it.\n\n")
		}
	}
	text.WriteString("See [below][r1], [end](#the-end) and [start](#big).\n\n")
	fill(394_000)
	for range 3 { // of which one is at the boundary of two parts
		text.WriteString("\n" + key + "\n")
	}
	rule := strings.Count(text.String(), "\n") + 8
	text.WriteString("\n---\nfalse: property\nvanishing: line\n---\n\n")
	fill(380_000)
	text.WriteString("```c\n")
	for range 3000 {
		text.WriteString("# not_a_heading\n\n")
	}
	text.WriteString("```\n\n")
	fill(20_000)
	text.WriteString("## The End\n\nThe last words of all.\n\n[r1]: https://example.org/defined\n")
	b.put("big", "Big", "# Big\n\n"+text.String(), "private-key")
	b.put("from", "From", "# From\n\nTo [[big#The End]].\n")
	b.signIn()

	first := b.do("GET", "/page/big").Body.String()
	if !strings.Contains(first, `href="https://example.org/defined"`) {
		t.Error("a definition of another part is unknown")
	}
	next := regexp.MustCompile(`<a href="([^"]*from=(\d+)[^"]*)" rel="next">`)
	before := regexp.MustCompile(`<a href="([^"]*from=(\d+)[^"]*)" rel="prev">`)
	var starts []string
	at, here := "/page/big", "1"
	for at != "" {
		page := b.do("GET", at).Body.String()
		if m := before.FindStringSubmatch(page); len(starts) > 0 && (m == nil || m[2] != starts[len(starts)-1]) {
			t.Errorf("the part before that from line %s: %q", here, m)
		}
		starts = append(starts, here)
		for _, line := range secret {
			if strings.Contains(page, line) {
				t.Fatalf("a line of a key is shown from line %s", here)
			}
		}
		if strings.Contains(page, "<h1>not") || strings.Contains(page, ">not_a_heading</h1>") {
			t.Errorf("code is shown as headings from line %s", here)
		}
		if !strings.Contains(page, "The End</a>") {
			t.Errorf("the outline from line %s has no heading of the last part", here)
		}
		at = ""
		if m := next.FindStringSubmatch(page); m != nil {
			at, here = html.UnescapeString(m[1]), m[2]
		}
	}
	if len(starts) < 3 {
		t.Errorf("parts begin at %v", starts)
	}
	for line := rule - 60; line < rule+10; line += 7 {
		page := b.do("GET", fmt.Sprintf("/page/big?from=%d", line)).Body.String()
		if strings.Contains(page, `<th scope="row">false</th>`) || slices.ContainsFunc(secret, func(s string) bool { return strings.Contains(page, s) }) {
			t.Fatalf("from line %d: false properties, or a key", line)
		}
	}
	link := func(page, words string) string {
		m := regexp.MustCompile(`<a [^>]*href="([^"]*)"[^>]*>` + words + `</a>`).FindStringSubmatch(page)
		if m == nil {
			t.Fatalf("no link %q", words)
		}
		to, _, _ := strings.Cut(html.UnescapeString(m[1]), "#")
		return to
	}
	other := b.do("GET", "/page/from").Body.String()
	for _, to := range []string{link(first, "end"), link(first, "The End"), link(other, "big › The End")} {
		page := b.do("GET", to).Body.String()
		if !strings.Contains(page, `id="h-the-end"`) || !strings.Contains(page, "The last words of all.") {
			t.Errorf("%s does not show the heading", to)
		}
	}
	last := b.do("GET", "/page/big?at=h-the-end").Body.String()
	if !strings.Contains(b.do("GET", link(last, "Big")).Body.String(), `id="h-big"`) {
		t.Error("the outline of the last part does not lead to the first")
	}
}

// The outline of a page with very many headings has those of the part that is shown, and the
// upper ones of others.
func TestLongOutline(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "a large page would take longer than it may")
	b := newBed(t)
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "# Chapter %d\n\n", i)
		for n := range 30 {
			fmt.Fprintf(&text, "## Section %d.%d\n\n%s\n\n", i, n, strings.Repeat("Words of the section. ", 6))
		}
	}
	b.put("long", "Long", text.String())
	b.signIn()
	page := b.do("GET", "/page/long?at=h-chapter-90").Body.String()
	_, outline, _ := strings.Cut(page, `class="outline"`)
	outline, _, _ = strings.Cut(outline, "</section>")
	for want, n := range map[string]int{">Chapter 0<": 1, ">Section 0.1<": 0, ">Chapter 90<": 1, " of 3100 headings": 1} {
		if got := strings.Count(outline, want); got != n {
			t.Errorf("the outline has %s %d times, not %d", want, got, n)
		}
	}
	if n := strings.Count(outline, "<li>"); n < 100 || n > 1000 {
		t.Errorf("the outline has %d headings", n)
	}
	b.put("diary", "Diary", strings.Repeat("## A day\n\nText.\n\n", 600))
	if page := b.do("GET", "/page/diary").Body.String(); strings.Count(page, ">A day</a>") != 500 || !strings.Contains(page, "500 of 600 headings") {
		t.Errorf("of 600 headings of one level the outline has %d", strings.Count(page, ">A day</a>"))
	}
}

// Blame shows every line of a large page, in parts, with its author.
func TestBlameOfALargePage(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	var text strings.Builder
	for i := range 12_000 {
		fmt.Fprintf(&text, "Sentence %d of many.\n", i)
	}
	b.put("large", "Large", text.String())
	b.byAgent("large", strings.Replace(text.String(), "Sentence 11990 of many.", "Sentence 11990 of an agent.", 1))
	b.signIn()
	next := regexp.MustCompile(`<a href="([^"]*from=(\d+)[^"]*)" rel="next">`)
	at, last, parts := "/blame/large", 0, 0
	for at != "" && parts < 9 {
		page := b.do("GET", at).Body.String()
		parts++
		for _, m := range regexp.MustCompile(`<pre>Sentence (\d+) `).FindAllStringSubmatch(page, -1) {
			if m[1] != fmt.Sprint(last) {
				t.Fatalf("part %d has sentence %s, not %d", parts, m[1], last)
			}
			last++
		}
		if !strings.Contains(page, ">version 1</a> human:ada") {
			t.Errorf("part %d names no author", parts)
		}
		at = ""
		if m := next.FindStringSubmatch(page); m != nil {
			at = html.UnescapeString(m[1])
		}
	}
	if parts != 3 || last != 12_000 {
		t.Errorf("%d parts with %d sentences", parts, last)
	}
	if page := b.do("GET", "/blame/large?from=11991").Body.String(); !strings.Contains(page, "of an agent.") || !strings.Contains(page, "agent:bot") {
		t.Error("the line of an agent is not in its part")
	}
}

// A line that is longer than a part is shown whole.
func TestLongLine(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("long", "Long", "# Long\n\nBefore.\n\n"+strings.Repeat("word ", 250_000)+"the-rest\n\nAfter.\n")
	b.signIn()
	page := b.do("GET", "/page/long?from=10").Body.String()
	if !strings.Contains(page, "word the-rest") || strings.Contains(page, "larger budget") {
		t.Error("the rest of a long line is not shown")
	}
}

// A large page leaves room for the passages of others, and results are in the order of the search.
func TestEveryHitIsShown(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("large", "Large", strings.Repeat("A wheel of brass, one of many in the mill of the engine, turns.\n\n", 2000))
	b.put("wheel", "Wheel", "Round.\n")
	b.put("cart", "Cart", "It has a wheel.\n")
	b.signIn()
	for _, mode := range []string{"fts", ""} {
		shown := b.do("GET", "/?q=wheel&mode="+mode).Body.String()
		for _, ref := range []string{"memory:wheel", "memory:cart", "memory:large"} {
			if strings.Count(shown, `<span>`+ref+`</span>`) != 1 {
				t.Errorf("mode %q does not list %s once", mode, ref)
			}
		}
		if at := strings.Index(shown, `<span>memory:wheel</span>`); at < 0 || strings.Index(shown, `<span>memory:`) != at {
			t.Errorf("mode %q does not begin with the page of that title", mode)
		}
	}
}

// The passage of a hit is rendered in the format of its page.
func TestPassageOfOrg(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Dir("notes", map[string]string{"mill.org": "#+title: Mill\n* TODO Turn slower\nThe /brass/ wheel.\n", "note.md": "# Note\n\nThe *steel* wheel.\n"})
	b.attach("notes")
	b.signIn()
	shown := b.do("GET", "/?q=wheel&mode=fts").Body.String()
	for _, want := range []string{"<em>brass</em>", "<em>steel</em>"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the hits do not show %q: %s", want, shown)
		}
	}
}

// The passage of a hit begins near the words that were searched, where more text before them
// would hide them.
func TestPassageBeginsNearTheMatch(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("mark", "Mark", "A machine.\n\n## Speed\n\nSlow.\n\n## Weight\n\nFive tons.\n\n## Noise\n\nLoud.\n\n## Input\n\nPunched *tape*.\n")
	b.put("code", "Code", "One.\n\nTwo.\n\n```\nthree\n\nfour\n```\n\nFive.\n\nSix.\n\nOld tape.\n")
	b.signIn()
	shown := b.do("GET", "/?q=tape&mode=fts").Body.String()
	for want, times := range map[string]int{
		"<p>…</p>\n<div class=\"heading\">Input</div>\n<p>Punched <em><mark>tape</mark></em>.</p>": 1, "Five tons": 0, "three": 1,
	} {
		if n := strings.Count(shown, want); n != times {
			t.Errorf("the hits show %q %d times: %s", want, n, shown)
		}
	}
}

// The status that a page gives itself is no class of the style sheet, which could hide it.
func TestStatusIsNoClass(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "A", "---\nstatus: skip\n---\n# A\n")
	b.signIn()
	for _, path := range []string{"/page/memory:a", "/?q=a"} {
		if shown := b.do("GET", path).Body.String(); !strings.Contains(shown, `class="badge is-skip"`) {
			t.Errorf("%s shows %s", path, shown)
		}
	}
}
