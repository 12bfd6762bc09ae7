package webui_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/gap"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/surface/webui"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// post sends a form as a page of the server does.
func (b *bed) post(path string, pairs ...string) *httptest.ResponseRecorder {
	b.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	r := httptest.NewRequestWithContext(b.Context(), "POST", "http://"+b.host+path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.AddCookie(&http.Cookie{Name: "cairn_session", Value: b.cookie})
	w := httptest.NewRecorder()
	b.answer.ServeHTTP(w, r)
	return w
}

// byAgent writes a page as an agent.
func (b *bed) byAgent(ref, text string) {
	b.Helper()
	s, err := b.Lazy().Session(b.Context(), true)
	if err != nil {
		b.Fatal(err)
	}
	s.Actor = kb.Actor{Kind: kb.Agent, Name: "bot"}
	if _, err := change.Put(b.Context(), s, change.PutRequest{Ref: ref, Text: []byte(text), Overwrite: true}); err != nil {
		b.Fatal(err)
	}
}

func (b *bed) text(ref string) string {
	b.Helper()
	s, err := b.Lazy().Session(b.Context(), false)
	if err != nil {
		b.Fatal(err)
	}
	p, err := read.Get(b.Context(), s, read.GetRequest{Ref: ref})
	if kb.CodeOf(err) == kb.NotFound {
		return "(gone)"
	}
	if err != nil {
		b.Fatal(err)
	}
	return p.Text
}

const dozen = "# A\n\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n"

// A person takes one part of what an agent wrote back and undoes that, without scripts;
// then the rest is seen.
func TestToday(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "", dozen)
	b.byAgent("a", strings.NewReplacer("one\n", "ONE\n", "twelve\n", "TWELVE\n").Replace(dozen))
	b.byAgent("b", "# B\n\nBy the agent.\n")
	b.signIn()
	shown := b.do("GET", "/today").Body.String()
	for _, want := range []string{"agent:bot", "ONE", "TWELVE", "Take this part back", "By the agent."} {
		if !strings.Contains(shown, want) {
			t.Errorf("Today does not show %q", want)
		}
	}
	links := regexp.MustCompile(`href="(/take-back[^"]*hunk=[^"]*)"`).FindAllStringSubmatch(shown, -1)
	if len(links) != 2 {
		t.Fatalf("%d parts can be taken back", len(links))
	}
	address := html.UnescapeString(links[1][1])
	preview := b.do("GET", address)
	if preview.Code != http.StatusOK || !strings.Contains(preview.Body.String(), "+twelve") || b.text("a") != strings.NewReplacer("one\n", "ONE\n", "twelve\n", "TWELVE\n").Replace(dozen) {
		t.Fatalf("the preview is %d %s", preview.Code, preview.Body)
	}
	u, _ := url.Parse(address)
	var pairs []string
	for name, x := range u.Query() {
		pairs = append(pairs, name, x[0])
	}
	w := b.post("/take-back", pairs...)
	if got := b.text("a"); w.Code != http.StatusSeeOther || got != strings.Replace(dozen, "one\n", "ONE\n", 1) {
		t.Fatalf("%d %s: %s", w.Code, w.Body, got)
	}
	to := w.Header().Get("Location")
	if back := b.do("GET", to).Body.String(); !strings.Contains(back, `action="/undo"`) {
		t.Errorf("%s offers no undo", to)
	}
	w = b.post("/undo", "write", strings.TrimPrefix(to, "/today?wrote="), "to", "//evil.example")
	if got := b.text("a"); !strings.Contains(got, "TWELVE") || w.Header().Get("Location") != "/" {
		t.Errorf("undone: %s, to %q", got, w.Header().Get("Location"))
	}
	through := regexp.MustCompile(`name="through" value="(\d+)"`).FindStringSubmatch(b.do("GET", "/today").Body.String())
	if len(through) != 2 {
		t.Fatal("nothing can be marked as seen")
	}
	b.post("/seen", "through", through[1])
	if shown := b.do("GET", "/today").Body.String(); !strings.Contains(shown, "Nothing needs you.") || strings.Contains(shown, "agent:bot") {
		t.Errorf("after it was seen: %s", shown)
	}
}

// A page that is left when a session is taken back is named, with the reason, and stays in
// Today; the page that was taken back is marked, until that is undone.
func TestTodaySkipped(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.byAgent("a", "# Alpha\n\nBy the agent.\n")
	b.byAgent("b", "# Beta\n\nBy the agent.\n")
	b.put("b", "", "# Beta\n\nBy the agent, and by Ada.\n")
	b.signIn()
	link := regexp.MustCompile(`href="(/take-back[^"]*)">Take all back`).FindStringSubmatch(b.do("GET", "/today").Body.String())
	if link == nil {
		t.Fatal("the session cannot be taken back")
	}
	u, _ := url.Parse(html.UnescapeString(link[1]))
	w := b.post("/take-back", "write", u.Query().Get("write"), "last", u.Query().Get("last"))
	if b.text("a") != "(gone)" || b.text("b") == "(gone)" {
		t.Fatalf("%d %s: %q %q", w.Code, w.Body, b.text("a"), b.text("b"))
	}
	shown := b.do("GET", w.Header().Get("Location")).Body.String()
	why := regexp.MustCompile(`later changes overlap: 1 page\. </span><a[^>]* href="([^"]*)">Show why`).FindStringSubmatch(shown)
	if why == nil {
		t.Fatalf("%s does not say that a page was left: %s", w.Header().Get("Location"), shown)
	}
	if reasons := b.do("GET", html.UnescapeString(why[1])).Body.String(); !strings.Contains(reasons, "b.md: created by the undone write") {
		t.Errorf("the reasons: %s", reasons)
	}
	if strings.Count(shown, "taken back</span>") != 1 || !strings.Contains(shown, "Beta") {
		t.Errorf("Today after it: %s", shown)
	}
	to, _ := url.Parse(w.Header().Get("Location"))
	b.post("/undo", "write", to.Query().Get("wrote"))
	if shown := b.do("GET", "/today").Body.String(); b.text("a") == "(gone)" || strings.Contains(shown, "taken back</span>") || !strings.Contains(shown, "Alpha") {
		t.Errorf("Today after the undo: %s", shown)
	}
}

// Saving merges with changes of others, and shows both texts where they overlap; typed
// text is never lost.
func TestEdit(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "", dozen)
	b.signIn()
	form := b.do("GET", "/edit/a").Body.String()
	if !strings.Contains(form, "\n"+html.EscapeString(dozen)+"</textarea>") || !strings.Contains(form, `name="version" value="1"`) {
		t.Fatalf("the form is %s", form)
	}
	b.byAgent("a", strings.Replace(dozen, "one", "ONE", 1))
	typed := strings.ReplaceAll(strings.Replace(dozen, "twelve", "a dozen", 1), "\n", "\r\n")
	w := b.post("/save", "ref", "a", "version", "1", "text", typed)
	if got := b.text("a"); w.Code != http.StatusSeeOther || got != strings.NewReplacer("one\n", "ONE\n", "twelve", "a dozen").Replace(dozen) || !strings.Contains(w.Header().Get("Location"), "merged=") {
		t.Errorf("%d %q: %s", w.Code, w.Header().Get("Location"), got)
	}
	w = b.post("/save", "ref", "a", "version", "1", "text", strings.Replace(dozen, "one", "eins", 1))
	if shown := w.Body.String(); w.Code != http.StatusConflict || strings.Count(shown, "eins") < 2 || !strings.Contains(shown, `name="version" value="3"`) || strings.Contains(b.text("a"), "eins") {
		t.Errorf("a conflict: %d %s", w.Code, shown)
	}
	if w := b.post("/preview", "ref", "a", "version", "3", "text", "**bold** words"); !strings.Contains(w.Body.String(), "<strong>bold</strong>") || strings.Contains(b.text("a"), "bold") {
		t.Errorf("the preview is %s", w.Body)
	}
	b.put("c", "", "see [[a]]\n")
	if w := b.do("GET", "/move?ref=a&to=z"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "[[z]]") || b.text("z") != "(gone)" {
		t.Errorf("the preview of a move: %d %s", w.Code, w.Body)
	}
	b.post("/move", "ref", "a", "to", "z", "version", "3")
	if b.text("c") != "see [[z]]\n" {
		t.Errorf("after the move: %s", b.text("c"))
	}
	if w := b.do("GET", "/delete?ref=z"); w.Code != http.StatusOK || b.text("z") == "(gone)" {
		t.Errorf("the preview of a deletion: %d", w.Code)
	}
	b.post("/delete", "ref", "z", "version", regexp.MustCompile(`name="version" value="(\d+)"`).FindStringSubmatch(b.do("GET", "/delete?ref=z").Body.String())[1])
	if b.text("z") != "(gone)" {
		t.Error("the page was not deleted")
	}
	if w := b.post("/create", "title", "Fresh", "text", "Some words.", "space", ""); !strings.Contains(w.Header().Get("Location"), "/page/") {
		t.Errorf("a new page: %d %s", w.Code, w.Body)
	}
}

// A server that only reads has no form of a page and takes none.
func TestEditReadOnly(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *webui.Options) { o.ReadOnly = true })
	b.put("a", "", dozen)
	b.byAgent("a", "x\n")
	b.signIn()
	for _, path := range []string{"/edit/a", "/take-back?write=1", "/new", "/delete?ref=a"} {
		if w := b.do("GET", path); w.Code != http.StatusNotFound {
			t.Errorf("%s answers %d", path, w.Code)
		}
	}
	if shown := b.do("GET", "/today").Body.String(); strings.Contains(shown, "Take") || strings.Count(shown, `method="post"`) != 1 {
		t.Errorf("Today offers changes: %s", shown)
	}
	if w := b.post("/save", "ref", "a", "version", "1", "text", "y"); w.Code == http.StatusSeeOther || b.text("a") != "x\n" {
		t.Errorf("%d", w.Code)
	}
}

// Each line has its author.
func TestBlame(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "", dozen)
	b.byAgent("a", strings.Replace(dozen, "six", "SIX", 1))
	b.signIn()
	if shown := b.do("GET", "/blame/a").Body.String(); !regexp.MustCompile(`agent:bot .*?</td><td><pre>SIX</pre>`).MatchString(shown) || strings.Count(shown, "human:ada") < 2 {
		t.Errorf("%s", shown)
	}
}

// A version that is brought back by its button can be undone there.
func TestRestoreOffersUndo(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.byAgent("a", "# A\n\nOne.\n")
	b.byAgent("a", "# A\n\nTwo.\n")
	b.signIn()
	to := b.post("/restore", "ref", "memory:a", "version", "1").Header().Get("Location")
	if shown := b.do("GET", to).Body.String(); !strings.Contains(shown, `action="/undo"`) || !strings.Contains(b.text("a"), "One.") {
		t.Errorf("%s shows %s", to, shown)
	}
}

// A version is brought back to its page where that was moved meanwhile, and another page has its
// old ref.
func TestRestoreOfMovedPage(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.byAgent("old", "# A\n\nOne.\n")
	b.byAgent("old", "# A\n\nTwo.\n")
	b.signIn()
	shown := b.do("GET", "/history/memory:old").Body.String()
	id := regexp.MustCompile(`name="page" value="([^"]+)"`).FindStringSubmatch(shown)
	if id == nil {
		t.Fatalf("no form names its page: %s", shown)
	}
	b.post("/move", "ref", "memory:old", "page", id[1], "to", "new", "version", "2")
	b.byAgent("old", "# Another\n\nIts first text.\n")
	b.byAgent("old", "# Another\n\nIts second text.\n")
	to := b.post("/restore", "ref", "memory:old", "page", id[1], "version", "1").Header().Get("Location")
	if !strings.HasPrefix(to, "/page/memory:new?") || !strings.Contains(b.text("new"), "One.") || !strings.Contains(b.text("old"), "Its second text.") {
		t.Errorf("the restore leads to %q; the page is %q, another one %q", to, b.text("new"), b.text("old"))
	}
	b.post("/delete", "ref", "memory:new", "page", id[1], "version", "4")
	b.post("/restore", "ref", "memory:new", "page", id[1], "version", "2")
	if !strings.Contains(b.text("new"), "Two.") {
		t.Errorf("the deleted page is %q", b.text("new"))
	}
}

// An undo leads to a page that exists: that of a move to the old address, that of a new page to
// Today.
func TestUndoLeadsToAPage(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("deep/a b", "A", "Words.\n")
	b.signIn()
	undo := regexp.MustCompile(`name="write" value="(\d+)"><input type="hidden" name="to" value="([^"]*)"`)
	for _, tt := range []struct{ path, want string }{
		{"/move", "/page/memory:deep/a%20b"}, {"/create", "/today"},
	} {
		to := b.post(tt.path, "ref", "memory:deep/a b", "to", "c", "version", "1", "title", "New", "text", "A text.", "space", "memory").Header().Get("Location")
		found := undo.FindStringSubmatch(b.do("GET", to).Body.String())
		if found == nil {
			t.Errorf("%s has no undo", to)
			continue
		}
		to = b.post("/undo", "write", found[1], "to", html.UnescapeString(found[2])).Header().Get("Location")
		if w := b.do("GET", to); to != tt.want || w.Code != http.StatusOK {
			t.Errorf("the undo of %s leads to %s: %d", tt.path, to, w.Code)
		}
	}
}

// Of many pages that are alike, each is in one pair, and only the shown ones are read.
func TestDuplicatesOnce(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for i := range 12 {
		b.put(fmt.Sprintf("p%d", i), "Same title", strings.Repeat("The wheel turns slowly in the mill of brass. ", 20))
	}
	b.signIn()
	shown := b.do("GET", "/today").Body.String()
	refs := map[string]int{}
	for _, m := range regexp.MustCompile(`name="item" value="duplicate:(\S+) ([^"]+)"`).FindAllStringSubmatch(shown, -1) {
		refs[m[1]]++
		refs[m[2]]++
	}
	for ref, n := range refs {
		if n > 1 {
			t.Errorf("%s is in %d pairs", ref, n)
		}
	}
	if reads := strings.Count(shown, "cairn call read "); len(refs) < 2 || reads != len(refs) {
		t.Errorf("%d pages in pairs, %d were read", len(refs), reads)
	}
}

// Of a session with many pages those that are asked for are shown.
func TestManyPagesOfASession(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for i := range 60 {
		b.byAgent(fmt.Sprintf("p%02d", i), fmt.Sprintf("# Page %d\n", i))
	}
	b.signIn()
	shown := b.do("GET", "/today").Body.String()
	if n := strings.Count(shown, "Keep this page"); n != 50 || !strings.Contains(shown, "Pages 1 to 50 of 60") || strings.Contains(shown, "Pages before") {
		t.Errorf("%d pages: %s", n, shown)
	}
	next := regexp.MustCompile(`href="([^"#]*)#[^"]*">Pages after`).FindStringSubmatch(shown)
	if next == nil {
		t.Fatal("there is no way to the other pages")
	}
	shown = b.do("GET", html.UnescapeString(next[1])).Body.String()
	if n := strings.Count(shown, "Keep this page"); n != 10 || !strings.Contains(shown, "Pages 51 to 60 of 60") || !strings.Contains(shown, "Pages before") {
		t.Errorf("%d pages: %s", n, shown)
	}
	// Another session is shown from its first page.
	for _, name := range []string{"other", "third", "fourth"} {
		s, err := b.Lazy().Session(b.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		s.Actor = kb.Actor{Kind: kb.Agent, Name: name}
		apptest.OK(change.Put(t.Context(), s, change.PutRequest{Ref: name, Text: []byte("# " + name + "\n")}))(t)
	}
	shown = b.do("GET", html.UnescapeString(next[1])).Body.String()
	if other := regexp.MustCompile(`href="([^"#]*)#[^"]*">Show the changes`).FindStringSubmatch(shown); other == nil || strings.Contains(other[1], "from=") {
		t.Errorf("the link to another session is %q", other)
	}
}

// Duplicates are looked for in all spaces, also where none is the default.
func TestDuplicatesOfAllSpaces(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, name := range []string{"one", "two"} {
		files := map[string]string{"a.md": "# The same\n\nA text.\n", "b.md": "# The same\n\nA text.\n"}
		for i := range 5 { // more than are shown
			files[fmt.Sprintf("c%d.md", i)] = fmt.Sprintf("# %d\n", i)
			files[fmt.Sprintf("d%d.md", i)] = fmt.Sprintf("# %d\n", i)
		}
		b.Dir(name, files)
		b.attach(name)
	}
	b.signIn()
	shown := b.do("GET", "/today").Body.String()
	for _, name := range []string{"one", "two"} {
		if !strings.Contains(shown, `value="duplicate:`+name+":a "+name+`:b"`) && !strings.Contains(shown, `value="duplicate:`+name+":b "+name+`:a"`) {
			t.Errorf("the duplicates of %s are not shown: %s", name, shown)
		}
	}
}

// A draft is that of its page, whatever the page is called by now.
func TestDraftOfAMovedPage(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "A", "one")
	b.signIn()
	draft := func(ref string) string {
		text := b.do("GET", "/edit/"+ref).Body.String()
		_, rest, _ := strings.Cut(text, `data-draft="`)
		name, _, _ := strings.Cut(rest, `"`)
		return name
	}
	before := draft("memory:a")
	if w := b.post("/move", "ref", "memory:a", "version", "1", "to", "folder/b.md"); w.Code != http.StatusSeeOther {
		t.Fatalf("the page cannot be moved: %d %s", w.Code, w.Body)
	}
	if after := draft("memory:folder/b"); before == "" || after != before {
		t.Errorf("the draft %q is %q after the move", before, after)
	}
}

// A text that the memory has already is not written again: the person is shown the page that has
// it, and a question that it answers is resolved.
func TestTextThatIsStored(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "A", "One page.")
	b.signIn()
	const text = "The wheel turns slowly in the mill of brass."
	b.post("/capture", "text", text, "space", "memory")
	s := apptest.OK(b.Lazy().Session(t.Context(), false))(t)
	asked := apptest.OK(gap.Log(t.Context(), s, gap.LogRequest{Question: "How does the wheel turn?"}))(t)
	for path, fields := range map[string][]string{
		"/capture": {"text", text, "space", "memory"},
		"/answer":  {"id", fmt.Sprint(asked.ID), "question", "How does the wheel turn?", "answer", text, "space", "memory"},
		"/create":  {"title", "Another", "text", text, "space", "memory"},
	} {
		w := b.post(path, fields...)
		if shown := b.do("GET", w.Header().Get("Location")).Body.String(); w.Code != http.StatusSeeOther || !strings.Contains(shown, "this text is already in") {
			t.Errorf("%s: %d %q: %s", path, w.Code, w.Header().Get("Location"), shown)
		}
	}
	if shown := b.do("GET", "/today").Body.String(); strings.Contains(shown, "How does the wheel turn?") {
		t.Errorf("the question is open: %s", shown)
	}
}

// Of many pages problems and duplicates are those from before the last change, which Today says
// until the next look.
func TestTodayOfManyPages(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	files := map[string]string{"one.md": "# Same title\n", "other.md": "# Same title\n", "....md": "Not read.\n"}
	for i := range 1500 {
		files[fmt.Sprintf("n%d.md", i)] = fmt.Sprintf("# Note %d\n", i)
	}
	root := b.Dir("notes", files)
	b.attach("notes")
	b.signIn()
	b.do("GET", "/?q=note") // reads the files
	const old, duplicate, problem = "are still being looked for", `value="duplicate:`, `value="problem:files notes warning`
	look := func() string {
		t.Helper()
		w := b.do("GET", "/today")
		if w.Code != http.StatusOK {
			t.Fatalf("%d: %s", w.Code, w.Body)
		}
		return w.Body.String()
	}
	settled := func() (shown string) {
		t.Helper()
		for shown = look(); strings.Contains(shown, old); shown = look() {
		}
		return shown
	}
	if shown := look(); !strings.Contains(shown, old) || strings.Contains(shown, duplicate) || strings.Contains(shown, problem) {
		t.Errorf("at first: %s", shown)
	}
	if shown := settled(); !strings.Contains(shown, duplicate) || !strings.Contains(shown, problem) {
		t.Errorf("then: %s", shown)
	}
	b.put("more", "Other title", "Text.\n")
	if shown := look(); !strings.Contains(shown, old) || !strings.Contains(shown, duplicate) || !strings.Contains(shown, problem) {
		t.Errorf("after a write: %s", shown)
	}
	settled()
	unread, away := filepath.Join(root, "....md"), filepath.Join(b.Home, "away")
	for _, way := range [][]string{{unread, away}, {away, unread}} {
		if err := os.Rename(way[0], way[1]); err != nil {
			t.Fatal(err)
		}
		b.now = b.now.Add(time.Minute)
		if shown := settled(); strings.Contains(shown, problem) != (way[1] == unread) {
			t.Errorf("with the file at %s: %s", way[1], shown)
		}
	}
	_, item, _ := strings.Cut(settled(), `value="problem:`)
	item, _, _ = strings.Cut(item, `"`)
	b.post("/dismiss", "item", "problem:"+html.UnescapeString(item), "note", "known")
	b.put("yet more", "Another title", "Text.\n")
	if shown := settled(); strings.Contains(shown, problem) {
		t.Error("a problem that was dismissed is back")
	}
}

// The command with which a person accepts a policy exists, and takes the directory.
func TestCommandThatAccepts(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	root := b.Dir("my clone", map[string]string{".cairn/space.toml": "name = \"clone\"\nformat = \"markdown\"\n[lifecycle]\nstale_after = 1\n", "a.md": "# A\n"})
	sess, err := b.Lazy().Session(b.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	sess.Actor = ada
	apptest.OK(sess.Spaces.Attach(t.Context(), root))(t)
	b.signIn()
	want := "cairn space add &#39;" + root + "&#39; --accept"
	for _, path := range []string{"/today", "/spaces"} {
		if shown := b.do("GET", path).Body.String(); !strings.Contains(shown, want) {
			t.Errorf("%s does not show %s: %s", path, want, shown)
		}
	}
}
