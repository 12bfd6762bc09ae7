package webui_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// A table has the pages of a type with their properties, in the order of any of them; a
// value is edited in its place, and the table is saved as a view.
func TestTable(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("atlas", "Atlas", "---\ntype: project\nstage: design # still\npriority: 10\nowners: [ada, bob]\n---\n# Atlas\n\nText.\n")
	b.put("borealis", "Borealis", "---\ntype: project\nstage: done\npriority: 9\n---\n# Borealis\n")
	b.put("cedar", "Cedar", "---\ntype: project\nstage: design\n---\n# Cedar\n")
	b.put("note", "Note", "Nothing.\n")
	b.signIn()
	order := func(path string) string {
		var names []string
		for _, m := range regexp.MustCompile(`<th scope="row"><a href="[^"]*">(\w+)</a>`).FindAllStringSubmatch(b.do("GET", path).Body.String(), -1) {
			names = append(names, m[1])
		}
		return strings.Join(names, " ")
	}
	for path, want := range map[string]string{
		"/table?type=project":                                                      "Atlas Borealis Cedar",
		"/table?type=project&sort=title&reverse=1":                                 "Cedar Borealis Atlas",
		"/table?type=project&sort=priority":                                        "Borealis Atlas Cedar",
		"/table?type=project&sort=priority&reverse=1":                              "Atlas Borealis Cedar",
		"/table?type=project&where=" + url.QueryEscape("stage=design; priority>2"): "Atlas",
		"/table?type=none":                                                         "",
	} {
		if got := order(path); got != want {
			t.Errorf("%s shows %q, want %q", path, got, want)
		}
	}
	page := b.do("GET", "/table?space=memory&type=project").Body.String()
	for _, want := range []string{">stage</a>", ">priority</a>", "ada, bob", "Save this table as a view"} {
		if !strings.Contains(page, want) {
			t.Errorf("the table lacks %s", want)
		}
	}
	page = b.do("GET", "/table?type=project&edit=memory:atlas").Body.String()
	if !strings.Contains(page, `name="was-value-`) || strings.Contains(page, `value="ada, bob"`) {
		t.Errorf("the row has no fields, or one for a list: %s", page)
	}
	w := b.post("/row", "ref", "memory:atlas", "version", "1", "title", "Atlas", "was-title", "Atlas", "to", "/table?type=project",
		"key-0", "stage", "value-0", "built", "was-value-0", "design", "key-1", "priority", "value-1", "10", "was-value-1", "10", "key-2", "note", "value-2", "", "was-value-2", "")
	if to := w.Header().Get("Location"); w.Code != http.StatusSeeOther || !strings.HasPrefix(to, "/table?type=project&wrote=") {
		t.Fatalf("saving a row answers %d, %s", w.Code, to)
	}
	if got, want := b.text("atlas"), "---\ntype: project\nstage: built # still\npriority: 10\nowners: [ada, bob]\n"; !strings.HasPrefix(got, want) {
		t.Errorf("the page is %s", got)
	}
	// Another changed another value meanwhile: both stay.
	if w = b.post("/row", "ref", "memory:atlas", "version", "1", "title", "Atlas", "was-title", "Atlas", "key-0", "priority", "value-0", "11", "was-value-0", "10"); w.Code != http.StatusSeeOther {
		t.Errorf("saving another value answers %d: %s", w.Code, w.Body)
	}
	if got := b.text("atlas"); !strings.Contains(got, "stage: built") || !strings.Contains(got, "priority: 11") {
		t.Errorf("the page is %s", got)
	}
	if w = b.post("/row", "ref", "memory:atlas", "version", "1", "title", "Atlas", "was-title", "Atlas", "key-0", "stage", "value-0", "lost", "was-value-0", "design"); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "built") {
		t.Errorf("a value that another set answers %d: %s", w.Code, w.Body)
	}
	w = b.post("/save-view", "space", "memory", "name", "Open Projects", "type", "project", "where", "stage!=done", "columns", "priority, stage", "sort", "priority", "reverse", "1")
	if to := w.Header().Get("Location"); w.Code != http.StatusSeeOther || !strings.HasPrefix(to, "/page/memory:views/open-projects") {
		t.Fatalf("saving a view answers %d, %s: %s", w.Code, to, w.Body)
	}
	if got := order("/page/memory:views/open-projects.base"); got != "Atlas Cedar" {
		t.Errorf("the view shows %q", got)
	}
	if page = b.do("GET", "/table").Body.String(); !strings.Contains(page, "Saved views") || !strings.Contains(page, "/page/memory:views/open-projects.base") {
		t.Error("the view is not listed")
	}
	if w = b.post("/save-view", "space", "memory", "name", "Bad", "where", "path:x"); w.Code != http.StatusBadRequest {
		t.Errorf("a view that cannot be saved answers %d", w.Code)
	}
}

// After each of several edits of rows, Undo takes back the newest.
func TestUndoAfterSeveralRows(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("atlas", "Atlas", "---\ntype: project\nstage: design\n---\n# Atlas\n")
	b.signIn()
	at := "/table?type=project"
	found := func(pattern, in string) string {
		if m := regexp.MustCompile(pattern).FindStringSubmatch(in); m != nil {
			return html.UnescapeString(m[1])
		}
		return ""
	}
	was := "design"
	for _, stage := range []string{"built", "sold"} {
		link := found(`href="([^"]*)#editing"`, b.do("GET", at).Body.String())
		form := b.do("GET", link).Body.String()
		w := b.post("/row", "ref", "memory:atlas", "version", found(`name="version" value="(\d+)"`, form), "to", found(`name="to" value="([^"]*)"`, form),
			"title", "Atlas", "was-title", "Atlas", "key-0", "stage", "value-0", stage, "was-value-0", was)
		if at = w.Header().Get("Location"); w.Code != http.StatusSeeOther || strings.Count(at, "wrote=") != 1 {
			t.Fatalf("saving a row answers %d, %s", w.Code, at)
		}
		was = stage
	}
	// A link or a form may also hold the older one.
	old := b.post("/row", "ref", "memory:atlas", "version", "3", "to", "/table?wrote=1&merged=1&left=2&form=1-1&type=project", "title", "Atlas", "was-title", "Atlas", "key-0", "stage", "value-0", "gone", "was-value-0", "sold")
	if at = old.Header().Get("Location"); strings.Count(at, "wrote=") != 1 || strings.Contains(at, "wrote=1&") || strings.Contains(at, "merged") || strings.Contains(at, "left") || strings.Contains(at, "form") {
		t.Errorf("an older write is reported again: %s", at)
	}
	page := b.do("GET", at).Body.String()
	undo := found(`name="write" value="(\d+)"`, page)
	if w := b.post("/undo", "write", undo, "to", found(`action="/undo".*?name="to" value="([^"]*)"`, page)); w.Code != http.StatusSeeOther || strings.Contains(w.Header().Get("Location"), "wrote") {
		t.Errorf("undo of %s answers %d, %s", undo, w.Code, w.Header().Get("Location"))
	}
	if got := b.text("atlas"); !strings.Contains(got, "stage: sold") {
		t.Errorf("undo takes back another write: %s", got)
	}
}

// A value is edited in a row if the page has it as one value on one line; its shape stays.
func TestRowsKeepShapes(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("atlas", "Atlas", "---\ntype: project\nOwners:\n  - ada\nflow: [ada]\nnote: |\n  one\n  two\nlong: one\n  two\nplace: {city: Rome}\nStage: design\nempty:\nquoted: \"a: b\"\n---\n# Atlas\n\ninline:: 3\nmixed:: 4\n")
	b.signIn()
	columns := []string{"owners", "flow", "note", "long", "place", "place.city", "stage", "empty", "quoted", "inline", "absent"}
	form := b.do("GET", "/table?space=memory&type=project&columns="+strings.Join(columns, ",")+"&edit=memory:atlas").Body.String()
	keys := map[string]bool{}
	for _, m := range regexp.MustCompile(`name="key-\d+" value="([^"]*)"`).FindAllStringSubmatch(form, -1) {
		keys[m[1]] = true
	}
	for key, want := range map[string]bool{
		"owners": false, "Owners": false, "flow": false, "note": false, "long": false, "place": false, "place.city": false, "inline": false,
		"Stage": true, "empty": true, "quoted": true, "absent": true,
	} {
		if keys[key] != want {
			t.Errorf("%s is a field of the row: %t, want %t", key, keys[key], want)
		}
	}
	if w := b.post("/row", "ref", "memory:atlas", "version", "1", "title", "Atlas", "was-title", "Atlas", "key-0", "Stage", "value-0", "built", "was-value-0", "design"); w.Code != http.StatusSeeOther {
		t.Fatalf("saving a row answers %d: %s", w.Code, w.Body)
	}
	if got := b.text("atlas"); !strings.Contains(got, "\nStage: built\n") || !strings.Contains(got, "\nOwners:\n  - ada\nflow: [ada]\nnote: |\n  one\n  two\nlong: one\n  two\n") || strings.Contains(got, "stage:") {
		t.Errorf("the page is %s", got)
	}
	// What became a list meanwhile stays one.
	b.put("atlas", "Atlas", strings.Replace(b.text("atlas"), "Stage: built", "Stage: [built]", 1))
	if w := b.post("/row", "ref", "memory:atlas", "version", "2", "title", "Atlas", "was-title", "Atlas", "key-0", "Stage", "value-0", "sold", "was-value-0", "built"); w.Code != http.StatusConflict {
		t.Errorf("a value that became a list answers %d: %s", w.Code, w.Body)
	}
}

// The row of a page is read by its ref, whatever characters that has.
func TestRowsOfOddNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plan [draft]", "what now?", "a*b", "plain"} {
		b := newBed(t)
		b.Dir("notes", map[string]string{name + ".md": "---\nstage: design\n---\n# Odd\n"})
		b.attach("notes")
		b.signIn()
		form := b.do("GET", "/table?space=notes&columns=stage").Body.String()
		m := regexp.MustCompile(`href="([^"]*)#editing"`).FindStringSubmatch(form)
		if m == nil {
			t.Errorf("%s: the table has no row: %s", name, form)
			continue
		}
		form = b.do("GET", html.UnescapeString(m[1])).Body.String()
		r := regexp.MustCompile(`name="ref" value="([^"]*)"`).FindStringSubmatch(form)
		if r == nil {
			t.Errorf("%s: there is no form: %s", name, form)
			continue
		}
		ref := html.UnescapeString(r[1])
		row := func(version, value, was string) int {
			w := b.post("/row", "ref", ref, "version", version, "title", "Odd", "was-title", "Odd", "key-0", "stage", "value-0", value, "was-value-0", was)
			return w.Code
		}
		if got := row("1", "built", "design"); got != http.StatusSeeOther {
			t.Errorf("%s: the first edit answers %d", ref, got)
		}
		b.post("/row", "ref", ref, "version", "2", "title", "Odd", "was-title", "Odd", "key-0", "other", "value-0", "x", "was-value-0", "")
		if got := row("2", "sold", "built"); got != http.StatusSeeOther { // the page has a version 3
			t.Errorf("%s: the edit of an older version answers %d", ref, got)
		}
	}
}
