package lsp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// movesFiles are the capabilities of an editor that makes every change itself.
var movesFiles = object{"workspace": object{"workspaceEdit": object{"documentChanges": true, "resourceOperations": []string{"rename"}}}, "window": object{"showDocument": object{"support": true}}}

type change1 struct {
	Kind           string
	OldURI, NewURI string
	TextDocument   struct {
		URI     string
		Version *int
	}
	Edits []struct {
		Range   rng
		NewText string
	}
}

type edit struct {
	Changes         map[string]json.RawMessage
	DocumentChanges []change1
}

// applied makes an edit as an editor does, in the texts that are open, else in files, and returns
// the texts by file. Files that move are listed as "from -> to".
func (e *editor) applied(w edit, open map[string]string) map[string]string {
	e.t.Helper()
	out := map[string]string{}
	name := func(uri string) string { return strings.TrimPrefix(uri, e.uri("")+"/") }
	for _, c := range w.DocumentChanges {
		if c.Kind == "rename" {
			out[name(c.OldURI)+" -> "+name(c.NewURI)] = ""
			continue
		}
		file := name(c.TextDocument.URI)
		text, isOpen := open[file]
		if isOpen != (c.TextDocument.Version != nil) {
			e.t.Errorf("%s: version %v", file, c.TextDocument.Version)
		}
		if !isOpen {
			b, err := os.ReadFile(filepath.Join(e.root, filepath.FromSlash(file)))
			if err != nil {
				e.t.Fatal(err)
			}
			text = string(b)
		}
		for _, x := range slices.Backward(c.Edits) {
			text = text[:byteAt(text, x.Range.Start)] + x.NewText + text[byteAt(text, x.Range.End):]
		}
		out[file] = withoutID(text)
	}
	return out
}

// withoutID leaves out the line of the id that a page gets when it moves.
func withoutID(text string) string {
	return regexp.MustCompile(`(?m)^id: .*\n`).ReplaceAllString(text, "")
}

// byteAt is the offset of a position in UTF-16.
func byteAt(text string, p position) int {
	at := 0
	for range p.Line {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	left := p.Character
	for _, r := range text[at:] {
		if left <= 0 {
			break
		}
		at += len(string(r))
		left -= utf16Len(string(r))
	}
	return at
}

func (e *editor) rename(params object, to string) edit {
	e.t.Helper()
	params["newName"] = to
	var w edit
	e.call("textDocument/rename", params, &w)
	return w
}

func TestRenameOfAPage(t *testing.T) {
	t.Parallel()
	e := newEditor(t, map[string]string{
		"ada.md": "---\ntitle: Ada\n---\n\nText.\n", "b.md": "😀 [[Ada]] and [[ada|her]], [x](ada.md)\n",
		"c.md": "- knows [[Ada]] @2020..\n",
	}, movesFiles)
	e.synced()
	unsaved := "New line.\n\n😀 [[Ada]] and [[ada|her]], [x](ada.md)\n"
	only := "Only here: [[Ada]].\n"
	e.open("b.md", unsaved)
	e.open("new.md", only)
	at := e.at("b.md", "New line.\n\n😀 [[A¦")
	var p struct{ Placeholder string }
	e.call("textDocument/prepareRename", at, &p)
	if p.Placeholder != "Ada" {
		t.Errorf("placeholder %q", p.Placeholder)
	}
	got := e.applied(e.rename(at, "Ada King"), map[string]string{"b.md": unsaved, "new.md": only})
	want := map[string]string{
		"ada.md":                "---\ntitle: Ada King\n---\n\nText.\n",
		"b.md":                  "New line.\n\n😀 [[ada-king]] and [[ada-king|her]], [x](ada-king.md)\n",
		"c.md":                  "- knows [[ada-king]] @2020..\n",
		"new.md":                "Only here: [[Ada King]].\n",
		"ada.md -> ada-king.md": "",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if text, err := os.ReadFile(filepath.Join(e.root, "c.md")); err != nil || string(text) != "- knows [[Ada]] @2020..\n" {
		t.Errorf("the server wrote: %s %v", text, err)
	}
	for _, bad := range []string{"", " ", "a]b", "a\nb"} {
		at["newName"] = bad
		if a := e.try("textDocument/rename", at); a.Error == nil {
			t.Errorf("renamed to %q: %s", bad, a.Result)
		}
	}
}

// A page that has the name of its file as its title keeps both the same.
func TestRenameOfAPageCalledAsItsFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"title":   {"---\ntitle: Kiln\n---\nText.\n", "---\ntitle: Ofen\n---\nText.\n"},
		"heading": {"# Kiln\n\nText.\n", "---\ntitle: Ofen\n---\n\n# Ofen\n\nText.\n"},
		"file":    {"Text.\n", "---\n---\n\nText.\n"}, // with an id, which applied leaves out
	} {
		e := newEditor(t, map[string]string{"Kiln.md": c.text, "b.md": "[[Kiln]]\n"}, movesFiles)
		e.synced()
		e.open("b.md", "")
		got := e.applied(e.rename(e.at("b.md", "[[K¦"), "Ofen"), map[string]string{"b.md": "[[Kiln]]\n"})
		if diff := cmp.Diff(c.want, got["Kiln.md"]); diff != "" || got["b.md"] != "[[Ofen]]\n" {
			t.Errorf("%s: %s\n%v", name, diff, got)
		}
	}
}

// An editor that moves no files has the server do it: one write, which undo takes back.
func TestRenameByTheServer(t *testing.T) {
	t.Parallel()
	files := map[string]string{"ada.md": "---\ntitle: Ada\n---\n\nText.\n", "b.md": "[[Ada]]\n"}
	e := newEditor(t, files, nil)
	e.synced()
	e.open("b.md", "")
	at := e.at("b.md", "[[A¦")
	at["newName"] = "Ada King"
	if a := e.try("textDocument/rename", at); a.Error != nil || string(a.Result) != "null" {
		t.Fatalf("%s %+v", a.Result, a.Error)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(e.root, name))
		if err != nil {
			return ""
		}
		return withoutID(string(text))
	}
	if got := read("b.md") + read("ada-king.md"); got != "[[ada-king]]\n---\ntitle: Ada King\n---\n\nText.\n" {
		t.Errorf("%q", got)
	}
	apptest.OK(change.Undo(t.Context(), e.sess, history.UndoRequest{}))(t)
	for name, want := range files {
		if got := read(name); got != want {
			t.Errorf("after undo %s is %q", name, got)
		}
	}
	e.open("b.md", "[[Ada]] not saved\n")
	if a := e.try("textDocument/rename", at); a.Error == nil || !strings.Contains(a.Error.Message, "save b.md first") {
		t.Errorf("%+v", a)
	}
}

func TestRenameOfAHeading(t *testing.T) {
	t.Parallel()
	e := newEditor(t, map[string]string{
		"ada.md": "# Ada\n\n## The letters\n\nSee [[#The letters]] and [x](#the-letters).\n",
		"b.md":   "[[ada#The letters|x]] [y](ada.md#the-letters) [[ada]]\n",
	}, movesFiles)
	e.synced()
	e.open("ada.md", "")
	at := e.at("ada.md", "# Ada\n\n## The¦")
	got := e.applied(e.rename(at, "Her mail"), map[string]string{"ada.md": "# Ada\n\n## The letters\n\nSee [[#The letters]] and [x](#the-letters).\n"})
	want := map[string]string{
		"ada.md": "# Ada\n\n## Her mail\n\nSee [[#Her mail]] and [x](#her-mail).\n",
		"b.md":   "[[ada#Her mail|x]] [y](ada.md#her-mail) [[ada]]\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// From a link to it, in an editor that knows only the older form of edits.
	e = newEditor(t, map[string]string{"ada.md": "# Ada\n\n## The letters\n", "b.md": "[[ada#The letters]]\n"}, nil)
	e.synced()
	e.open("b.md", "")
	if w := e.rename(e.at("b.md", "[[ada#Th¦"), "Mail"); len(w.Changes) != 2 || len(w.DocumentChanges) != 0 {
		t.Errorf("%+v", w)
	}
}

func TestWorkspaceSymbols(t *testing.T) {
	t.Parallel()
	e := newEditor(t, notes, nil)
	e.synced()
	for query, want := range map[string]string{"": "Ada Lovelace", "program": "Ada Lovelace", "engines": "Babbage"} {
		var got []struct {
			Name     string
			Location location
		}
		e.call("workspace/symbol", object{"query": query}, &got)
		names := []string{}
		for _, s := range got {
			names = append(names, s.Name)
		}
		if !slices.Contains(names, want) {
			t.Errorf("%q: %q", query, names)
		}
	}
}

type action struct {
	Title, Kind string
	Edit        *edit
	Command     *struct {
		Command   string
		Arguments []any
	}
}

func (e *editor) actions(at object, diagnostics []any) []action {
	e.t.Helper()
	var out []action
	e.call("textDocument/codeAction", object{
		"textDocument": at["textDocument"], "range": object{"start": at["position"], "end": at["position"]},
		"context": object{"diagnostics": diagnostics},
	}, &out)
	return out
}

func TestActions(t *testing.T) {
	t.Parallel()
	e := newEditor(t, notes, movesFiles)
	e.synced()
	at := e.edit("new.md", "See [[Nob¦ody]].\n")
	var found []any
	e.wait("textDocument/publishDiagnostics", func(params json.RawMessage) bool {
		var p struct {
			URI         string
			Diagnostics []any
		}
		if err := json.Unmarshal(params, &p); err != nil {
			t.Error(err)
		}
		found = p.Diagnostics
		return p.URI == e.uri("new.md") && len(found) == 1
	})
	list := e.actions(at, found)
	if len(list) != 1 || list[0].Title != "Create the page Nobody" {
		t.Fatalf("%+v", list)
	}
	e.call("workspace/executeCommand", list[0].Command, nil)
	// Either may come first.
	shown, clean := false, false
	e.until("new page, and no diagnostics,", func(n notification) bool {
		shown = shown || n.Method == "window/showDocument" && strings.Contains(string(n.Params), "obody.md")
		clean = clean || n.Method == "textDocument/publishDiagnostics" && strings.Contains(string(n.Params), "new.md") && strings.Contains(string(n.Params), `"diagnostics":[]`)
		return shown && clean
	})

	text := "See [[Babbage]].\n"
	at = e.edit("other.md", strings.Replace(text, "Bab", "Bab¦", 1))
	list = e.actions(at, nil)
	if len(list) == 0 || list[0].Title != "Add the relation: works_with Babbage" {
		t.Fatalf("%+v", list)
	}
	got := e.applied(*list[0].Edit, map[string]string{"other.md": text})
	if want := "See [[Babbage]].\n\n## Relations\n\n- works_with [[Babbage]]\n"; got["other.md"] != want {
		t.Errorf("%q", got)
	}
	if a := e.try("workspace/executeCommand", object{"command": "cairn.resolve", "arguments": []any{"no", "a"}}); a.Error == nil {
		t.Error("resolved nothing")
	}
	if a := e.try("workspace/executeCommand", object{"command": "rm"}); a.Error == nil {
		t.Error("unknown command")
	}
}

// A page, and one of a heading, can be opened in the web UI once it is indexed.
func TestOpenInWeb(t *testing.T) {
	t.Parallel()
	const later = "7d2b9a34-1c6e-4f0b-b7a8-3e5d6c4f1a02"
	e := newEditor(t, map[string]string{"b.org": "Text\n\n* Later\n:PROPERTIES:\n:ID: " + later + "\n:END:\n"}, nil)
	e.synced()
	if list := e.actions(e.edit("new.md", "Te¦xt\n"), nil); len(list) != 0 {
		t.Errorf("a text that is not indexed: %+v", list)
	}
	for _, text := range []string{"Te¦xt\n\n* Later\n:PROPERTIES:\n:ID: " + later + "\n:END:\n", "Text\n\n* La¦ter\n:PROPERTIES:\n:ID: " + later + "\n:END:\n"} {
		list := e.actions(e.edit("b.org", text), nil)
		if len(list) != 1 || list[0].Title != "Open in the web UI" || list[0].Kind != "source" {
			t.Fatalf("%+v", list)
		}
		e.call("workspace/executeCommand", list[0].Command, nil)
		if got := <-e.web; (got == later) != strings.Contains(text, "La¦ter") {
			t.Errorf("%q opens %s", text, got)
		}
	}
	if a := e.try("workspace/executeCommand", object{"command": "cairn.openWeb", "arguments": []any{"../admin"}}); a.Error == nil {
		t.Error("opened what is no id")
	}
}

// A contradiction shows in a text that is not saved, and goes when one of its sides does.
func TestContradictionsAsOneTypes(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		".cairn/space.toml": "id = \"7655a114-538a-51ea-b901-b74aa64beada\"\nname = \"notes\"\nformat = \"markdown\"\n\n[predicates]\nsingle = [\"works_at\"]\n",
		"ada.md":            "# Ada\n\n- works_at [[Acme]]\n", "acme.md": "# Acme\n", "brex.md": "# Brex\n",
	}
	e := newEditor(t, files, nil)
	e.synced()
	e.open("ada.md", "# Ada\n\nx\n\n- works_at [[Acme]]\n- works_at [[Brex]]\n")
	got := e.diagnostics("ada.md", func(found []string) bool { return len(found) > 0 })
	lines := map[string]bool{}
	for _, d := range got {
		if !strings.Contains(d, "contradiction: ") {
			t.Errorf("%s", d)
		}
		lines[d[:3]] = true
	}
	if !lines["4:0"] || !lines["5:0"] {
		t.Errorf("%q", got)
	}
	e.notify("textDocument/didChange", object{
		"textDocument":   object{"uri": e.uri("ada.md"), "version": 2},
		"contentChanges": []object{{"text": "# Ada\n\n- works_at [[Acme]] @2019..2020\n- works_at [[Brex]] @2021..\n"}},
	})
	e.diagnostics("ada.md", func(found []string) bool { return len(found) == 0 })
}

func TestSchemaAndLintAsOneTypes(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"schemas/person.md": "---\ntitle: Person\ntype: schema\nentity: person\nschema:\n  born: string, year\nsettings:\n  validation: warn\n---\n\n# Person\n",
	}
	e := newEditor(t, files, nil)
	e.synced()
	e.open("ada.md", "---\ntitle: Ada\ntype: person\nstatus: stale\n---\n\n# Ada\n\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n")
	got := strings.Join(e.diagnostics("ada.md", func(found []string) bool { return len(found) > 0 }), "\n")
	for _, want := range []string{"2:0 schema: ", "3:0 status: the page is stale", "8:0 "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestLensesFoldingTokensHints(t *testing.T) {
	t.Parallel()
	e := newEditor(t, notes, object{})
	e.synced()
	e.open("ada.md", "")
	of := object{"textDocument": object{"uri": e.uri("ada.md")}}
	var lenses []struct {
		Range   rng
		Command struct {
			Title     string
			Command   string
			Arguments []any
		}
	}
	e.call("textDocument/codeLens", of, &lenses)
	shown := []string{}
	for _, l := range lenses {
		shown = append(shown, fmt.Sprintf("%d %s", l.Range.Start.Line, l.Command.Title))
	}
	if got := strings.Join(shown, ", "); got != "8 3 backlinks, 13 2 backlinks" {
		t.Error(got)
	}
	var links []location
	e.call("workspace/executeCommand", lenses[1].Command, &links)
	if len(links) != 2 {
		t.Errorf("%+v", links)
	}
	var folds []struct{ StartLine, EndLine int }
	e.call("textDocument/foldingRange", of, &folds)
	if got := fmt.Sprint(folds); got != "[{0 6} {8 19} {13 15} {17 19}]" {
		t.Error(got)
	}
	var tokens struct{ Data []int }
	e.call("textDocument/semanticTokens/full", of, &tokens)
	if got := fmt.Sprint(tokens.Data); got != "[19 2 10 0 0 0 23 11 1 0]" {
		t.Error(got)
	}
	of["range"] = object{"start": object{"line": 0, "character": 0}, "end": object{"line": 99, "character": 0}}
	var hints []struct {
		Position position
		Label    string
	}
	e.call("textDocument/inlayHint", of, &hints)
	if got := fmt.Sprint(hints); got != "[{{19 24} ended}]" {
		t.Error(got)
	}
}
