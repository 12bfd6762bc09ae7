package webui_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/surface/webui"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// Forms that are refused are shown again with the text.
func TestTypedTextIsKept(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "", dozen)
	b.signIn()
	const key = "aws_access_key_id = AKIAIOSFODNN7EXAMPLQ"
	for name, x := range map[string]struct {
		path   string
		pairs  []string
		status int
	}{
		"a page that was deleted":    {"/save", []string{"ref", "gone", "version", "1", "text", "my typed words"}, http.StatusNotFound},
		"a credential":               {"/save", []string{"ref", "a", "version", "1", "text", "my typed words\n" + key}, http.StatusUnprocessableEntity},
		"a note with a credential":   {"/capture", []string{"text", "my typed words " + key}, http.StatusUnprocessableEntity},
		"a page with a credential":   {"/create", []string{"title", "The title", "text", "my typed words " + key}, http.StatusUnprocessableEntity},
		"a text beside a template":   {"/create", []string{"title", "The title", "template", "person", "text", "my typed words"}, http.StatusBadRequest},
		"a space that is not there":  {"/create", []string{"title", "The title", "space", "none", "text", "my typed words"}, http.StatusNotFound},
		"a line with a credential":   {"/daily", []string{"text", "my typed words " + key}, http.StatusUnprocessableEntity},
		"an answer with credentials": {"/answer", []string{"id", "1", "question", "Who?", "answer", "my typed words " + key}, http.StatusUnprocessableEntity},
	} {
		w := b.post(x.path, x.pairs...)
		shown := w.Body.String()
		area := regexp.MustCompile(`(?s)<textarea([^>]*)>(.*?)</textarea>`).FindStringSubmatch(shown)
		if w.Code != x.status || len(area) == 0 || !strings.Contains(area[2], "my typed words") || !strings.Contains(area[1], "data-unsaved") ||
			!strings.Contains(shown, `action="`+x.path+`"`) || !strings.Contains(shown, `class="problem"`) {
			t.Errorf("%s: %d %s", name, w.Code, shown)
		}
		if x.path == "/create" && !strings.Contains(shown, `value="The title"`) {
			t.Errorf("%s: the title is lost", name)
		}
	}
}

// A page is made of a template of the space as well; the name of one that is missing stays.
func TestOwnTemplates(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Dir("notes", map[string]string{".cairn/templates/recipe.md": "# {{title}}\n\nCooked on {{date}}.\n"})
	b.attach("notes")
	apptest.Accept(t, apptest.OK(b.Lazy().Session(t.Context(), true))(t), "notes")
	b.signIn()
	w := b.post("/create", "title", "Rye bread", "template", "recipe", "space", "notes")
	if to := w.Header().Get("Location"); !strings.HasPrefix(to, "/edit/notes:") || !strings.Contains(b.do("GET", to).Body.String(), "Cooked on 20") {
		t.Errorf("%d %s %s", w.Code, to, w.Body)
	}
	w = b.post("/create", "title", "Rye roll", "template", "recipes", "space", "notes")
	if shown := w.Body.String(); !strings.Contains(shown, `value="recipes"`) || !strings.Contains(shown, "recipe,") && !strings.Contains(shown, "recipe.") {
		t.Errorf("no such template: %d %s", w.Code, shown)
	}
}

// The address after a form has its mark, and an escaped query.
func TestAddressAfterAForm(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "", dozen)
	b.signIn()
	b.byAgent("a", strings.Replace(dozen, "one", "ONE", 1))
	typed := strings.Replace(dozen, "twelve", "a dozen", 1)
	w := b.post("/save", "ref", "a", "version", "1", "text", typed, "form", "12-34")
	to, err := url.Parse(w.Header().Get("Location"))
	if q := to.Query(); err != nil || q.Get("form") != "12-34" || q.Get("wrote") == "" || q.Get("merged") != "1" {
		t.Errorf("after a merge: %s", to)
	}
	if w := b.do("GET", to.String()); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "merged with what others wrote") {
		t.Errorf("%s: %d", to, w.Code)
	}
	w = b.post("/save", "ref", "a", "version", "1", "text", typed, "form", "56-78")
	if got := w.Header().Get("Location"); got != "/page/a?form=56-78" || b.do("GET", got).Code != http.StatusOK {
		t.Errorf("after saving what is there already: %d %q", w.Code, got)
	}
	if w := b.post("/save", "ref", "a", "version", "1", "text", typed, "form", "x&y"); w.Header().Get("Location") != "/page/a" {
		t.Errorf("no mark: %q", w.Header().Get("Location"))
	}
}

// A save that keeps the id of a page is not called a merge.
func TestNotEveryNoteIsOfAMerge(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "", "---\nid: 11111111-2222-4333-8444-555555555555\n---\n# A\n")
	b.signIn()
	w := b.post("/save", "ref", "a", "version", "1", "text", "# A\n\nWithout its id.\n")
	if !strings.Contains(b.text("a"), "id: 1111") || !strings.Contains(b.text("a"), "Without its id") || strings.Contains(w.Header().Get("Location"), "merged") {
		t.Errorf("%d %q: %s", w.Code, w.Header().Get("Location"), b.text("a"))
	}
}

// An address alone says nothing: undo is offered only of what this person just wrote.
func TestUndoOnlyOfOwnWrites(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s, err := b.Lazy().Session(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	s.Actor = ada
	own, err := change.Put(t.Context(), s, change.PutRequest{Ref: "a", Text: []byte(dozen)})
	if err != nil {
		t.Fatal(err)
	}
	s.Actor = kb.Actor{Kind: kb.Agent, Name: "bot"}
	others, err := change.Put(t.Context(), s, change.PutRequest{Ref: "b", Text: []byte(dozen)})
	if err != nil {
		t.Fatal(err)
	}
	b.signIn()
	b.now = s.Now()
	b.signIn()
	offers := func(write int64) bool {
		shown := b.do("GET", "/page/a?merged=Trust+me&wrote="+strconv.FormatInt(write, 10)).Body.String()
		if strings.Contains(shown, "Trust me") {
			t.Error("the page shows the text of the address")
		}
		return strings.Contains(shown, `action="/undo"`)
	}
	if !offers(own.Write) || offers(others.Write) || offers(others.Write+1) {
		t.Errorf("undo is offered of: own %v, others %v, none %v", offers(own.Write), offers(others.Write), offers(others.Write+1))
	}
	b.now = b.now.Add(2 * time.Hour)
	b.signIn()
	if offers(own.Write) {
		t.Error("undo is offered of an old write")
	}
}

// Looking at screens writes nothing.
func TestScreensWriteNothing(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "", dozen)
	b.byAgent("a", strings.Replace(dozen, "one", "ONE", 1))
	b.signIn()
	newest := func() (n int64) {
		s, err := b.Lazy().Session(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		err = s.DB.View(t.Context(), func(tx store.Tx) error {
			w, err := tx.History().Write(t.Context(), 0)
			n = w.ID
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := newest()
	for _, path := range []string{
		"/", "/?q=one", "/page/a", "/history/a", "/graph", "/graph?ref=a", "/graph.json", "/timeline", "/tasks", "/spaces", "/health", "/activity", "/setup", "/today",
		"/blame/a", "/take-back?write=2", "/edit/a", "/move?ref=a&to=z", "/delete?ref=a", "/new", "/daily",
	} {
		if w := b.do("GET", path); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
		if n := newest(); n != before {
			t.Errorf("%s writes", path)
			before = n
		}
	}
	if shown := b.do("GET", "/daily").Body.String(); !strings.Contains(shown, `action="/daily"`) || strings.Contains(shown, `name="version"`) {
		t.Errorf("without a note of today: %s", shown)
	}
	w := b.post("/daily", "text", "The first line.")
	if w.Code != http.StatusSeeOther || newest() == before {
		t.Errorf("the first line: %d %s", w.Code, w.Body)
	}
	if shown := b.do("GET", "/daily").Body.String(); !strings.Contains(shown, "The first line.\n</textarea>") || !strings.Contains(shown, `action="/save"`) {
		t.Errorf("with a note of today: %s", shown)
	}
}

// Lines keep the line ends that they had.
func TestLineEnds(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "", "# A\n\none\r\ntwo\nthree\r\n")
	b.put("b", "", "# B\r\n\r\none\r\n")
	b.signIn()
	b.post("/save", "ref", "a", "version", "1", "text", "# A\r\n\r\none\r\nnew\r\ntwo\r\nsecond\r\nthree\r\n")
	if got, want := b.text("a"), "# A\n\none\r\nnew\r\ntwo\nsecond\nthree\r\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	b.post("/save", "ref", "b", "version", "1", "text", "# B\r\n\r\none\r\ntwo\r\n")
	if got, want := b.text("b"), "# B\r\n\r\none\r\ntwo\r\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A conflict says what it is.
func TestKindsOfConflicts(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "", dozen)
	b.signIn()
	shown := b.post("/save", "ref", "a", "version", "99", "text", "mine")
	if body := shown.Body.String(); shown.Code != http.StatusConflict || !strings.Contains(body, "no version 99") || strings.Contains(body, "the same lines") || !strings.Contains(body, "mine\n</textarea>") {
		t.Errorf("%d %s", shown.Code, body)
	}
}

// A page that changed after the preview is neither moved nor deleted.
func TestChangedAfterThePreview(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(*webui.Options) {})
	b.put("a", "", dozen)
	b.signIn()
	for _, path := range []string{"/move?ref=a&to=z", "/delete?ref=a"} {
		if shown := b.do("GET", path).Body.String(); !strings.Contains(shown, `name="version" value="1"`) {
			t.Errorf("%s: %s", path, shown)
		}
	}
	b.byAgent("a", strings.Replace(dozen, "one", "ONE", 1))
	for path, pairs := range map[string][]string{"/move": {"ref", "a", "to", "z", "version", "1"}, "/delete": {"ref", "a", "version", "1"}} {
		if w := b.post(path, pairs...); w.Code != http.StatusConflict || !strings.Contains(b.text("a"), "ONE") || b.text("z") != "(gone)" {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

// A conflict shows what each side changed since the version of the form.
func TestConflictShowsBothChanges(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "", dozen)
	b.signIn()
	b.byAgent("a", strings.Replace(dozen, "one", "theirs", 1))
	shown := b.post("/save", "ref", "a", "version", "1", "text", strings.Replace(dozen, "one", "mine", 1))
	body := shown.Body.String()
	for _, want := range []string{"Your changes since version 1", `<span class="add">+mine`, `<span class="add">+theirs`, `<span class="del">-one`} {
		if shown.Code != http.StatusConflict || !strings.Contains(body, want) {
			t.Errorf("%d, lacks %s: %s", shown.Code, want, body)
		}
	}
}

// Lines that the person did not touch are no part of the changes in a conflict, whichever line ends
// the page has.
func TestConflictKeepsLineEnds(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	page := strings.ReplaceAll(dozen, "\n", "\r\n")
	b.put("a", "", page)
	b.signIn()
	b.byAgent("a", strings.Replace(page, "one", "theirs", 1))
	shown := b.post("/save", "ref", "a", "version", "1", "text", strings.Replace(page, "one", "mine", 1))
	if body := shown.Body.String(); shown.Code != http.StatusConflict || !strings.Contains(body, `<span class="add">+mine`) || strings.Contains(body, `<span class="add">+two`) {
		t.Errorf("%d %s", shown.Code, body)
	}
}

// With several spaces and no default, the forms of new pages ask for the space.
func TestFormsAskForTheSpace(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, name := range []string{"one", "two"} {
		b.Dir(name, map[string]string{"a.md": "# A\n"})
		b.attach(name)
	}
	b.signIn()
	if shown := b.do("GET", "/today").Body.String(); !strings.Contains(shown, `<select name="space" required="">`) || !strings.Contains(shown, `<option>two</option>`) {
		t.Errorf("the note has no choice of a space: %s", shown)
	}
	if w := b.post("/capture", "text", "The kiln leaks.", "space", "two"); w.Code != http.StatusSeeOther {
		t.Errorf("a note: %d %s", w.Code, w.Body)
	}
	if w := b.post("/answer", "id", "1", "question", "Why does it leak?", "answer", "A crack.", "space", "two"); strings.Contains(w.Body.String(), "no default") || b.text("two:why-does-it-leak") == "" {
		t.Errorf("an answer: %d %s", w.Code, w.Body)
	}
	w := b.do("GET", "/daily")
	if shown := w.Body.String(); w.Code != http.StatusOK || !strings.Contains(shown, `href="/daily?space=one"`) || !strings.Contains(shown, `href="/daily?space=two"`) {
		t.Errorf("the note of today: %d %s", w.Code, shown)
	}
	if shown := b.do("GET", "/daily?space=two").Body.String(); !strings.Contains(shown, `name="space" value="two"`) {
		t.Errorf("the note of today in a space: %s", shown)
	}
	if w := b.post("/daily", "text", "The first line.", "space", "two"); w.Code != http.StatusSeeOther || !strings.HasPrefix(w.Header().Get("Location"), "/page/two:") {
		t.Errorf("the first line: %d %s %s", w.Code, w.Header(), w.Body)
	}
}

// The text of a form is saved to its page when that was moved meanwhile.
func TestSaveOfMovedPage(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("old", "A", "One.\n\nTwo.\n")
	b.signIn()
	form := b.do("GET", "/edit/memory:old").Body.String()
	id := regexp.MustCompile(`name="page" value="([^"]+)"`).FindStringSubmatch(form)
	if id == nil {
		t.Fatalf("the form is %s", form)
	}
	b.post("/move", "ref", "memory:old", "to", "new", "version", "1")
	typed := strings.Replace(b.text("new"), "Two.", "Three.", 1)
	to := b.post("/save", "ref", "memory:old", "page", id[1], "version", "1", "text", typed).Header().Get("Location")
	if !strings.HasPrefix(to, "/page/memory:new?") || !strings.Contains(b.text("new"), "Three.") {
		t.Errorf("the text is saved to %q: %s", to, b.text("new"))
	}
	b.put("old.md", "Another", "Another page.\n")
	typed = strings.Replace(b.text("new"), "Three.", "Four.", 1)
	to = b.post("/save", "ref", "memory:old", "page", id[1], "version", "1", "text", typed).Header().Get("Location")
	if !strings.Contains(b.text("old.md"), "Another page.") {
		t.Errorf("another page at the old ref is overwritten, and the answer leads to %q", to)
	}
	if asked := b.do("GET", "/delete?ref=memory:new").Body.String(); !strings.Contains(asked, `name="page" value="`+id[1]) {
		t.Errorf("the confirmation does not name its page: %s", asked)
	}
	for _, path := range []string{"/delete", "/move"} {
		if w := b.post(path, "ref", "memory:old", "page", id[1], "to", "elsewhere", "version", "1"); w.Code != 409 || !strings.Contains(b.text("old.md"), "Another page.") {
			t.Errorf("%s of a moved page changes another one: %d", path, w.Code)
		}
	}
	if w := b.post("/save", "ref", "memory:old", "page", "2ab0f2b2-19f4-5b62-a8f9-02c953873124", "version", "1", "text", typed); w.Code != 404 || !strings.Contains(b.text("old.md"), "Another page.") {
		t.Errorf("a form of a page that is gone is saved: %d", w.Code)
	}
}
