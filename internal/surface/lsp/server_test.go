package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/surface/lsp"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

var notes = map[string]string{
	"ada.md": "---\ntitle: Ada Lovelace\ntype: person\nstatus: active\ntags: [maths]\naliases: [Countess]\n---\n\n# Ada Lovelace\n\n" +
		"She wrote the first program.\nIt never ran.\n\n## Letters\n\nTo her mother. ^mother\n\n## Relations\n\n- works_with [[Babbage]] @1833..1852\n",
	"people/babbage.md": "# Babbage\n\n😀 He built [[Ada Lovelace#Letters|her letters]] and [[Countess]].\n\nSee [ada](../ada.md#letters). #engines\n",
	"plan.org":          "#+title: Plan\n\n* Later\n:PROPERTIES:\n:ID: 9d1c4d6e-95f0-4e0f-8a5e-6f6e2f5b8a12\n:END:\nAsk [[Babbage]].\n",
}

// synced indexes the files of the space.
func (e *editor) synced() {
	e.t.Helper()
	spaces := apptest.OK(e.sess.Spaces.All(e.t.Context()))(e.t)
	apptest.OK(freshness.ToRead(e.t.Context(), e.sess, spaces, nil))(e.t)
}

func TestDefinition(t *testing.T) {
	t.Parallel()
	e := newEditor(t, notes, nil)
	e.synced()
	tests := []struct{ file, text, want string }{
		{"people/babbage.md", "😀 He built [[Ada Love¦lace#Letters|her letters]]", "ada.md:13:0"},
		{"people/babbage.md", "see [[¦ada]]", "ada.md:0:0"},
		{"people/babbage.md", "see [[Countess¦]]", "ada.md:0:0"},
		{"people/babbage.md", "[ada](../a¦da.md#letters)", "ada.md:13:0"},
		{"people/babbage.md", "[[ada#^mo¦ther]]", "ada.md:15:0"},
		{"people/babbage.md", "[[Pl¦an]]", "plan.org:0:0"},
		{"people/babbage.md", "[[Lat¦er]]", "plan.org:2:0"},
		{"people/babbage.md", "[[Nob¦ody]]", ""},
		{"people/babbage.md", "no ¦link", ""},
		{"people/babbage.md", "# One\n\n[[#O¦ne]]", "people/babbage.md:0:0"},
		{"plan.org", "* Later\n[[Babb¦age]]", "people/babbage.md:0:0"},
	}
	for _, tc := range tests {
		var got *location
		e.call("textDocument/definition", e.edit(tc.file, tc.text), &got)
		name := ""
		if got != nil {
			name = e.name(*got)
		}
		if name != tc.want {
			t.Errorf("%s: %q, want %q", tc.text, name, tc.want)
		}
	}
}

func TestHover(t *testing.T) {
	t.Parallel()
	e := newEditor(t, notes, nil)
	e.synced()
	hover := func(text string) string {
		t.Helper()
		var got *struct{ Contents struct{ Value string } }
		e.call("textDocument/hover", e.edit("people/babbage.md", text), &got)
		if got == nil {
			return ""
		}
		return got.Contents.Value
	}
	for text, want := range map[string]string{
		"[[Ada Lov¦elace]]": "**Ada Lovelace**\n\nnotes:ada · person · active · 3 backlinks\n\nShe wrote the first program. It never ran.",
		"[[ada#Let¦ters]]":  "**Ada Lovelace**\n\nnotes:ada · person · active · 3 backlinks\n\nTo her mother. ^mother",
		"[[No*b¦ody]]":      `no page is called No\*body`,
		"no¦thing":          "",
		"[[2026-01-¦01]]":   "",
	} {
		if got := hover(text); got != want {
			t.Errorf("%s:\n%s", text, cmp.Diff(want, got))
		}
	}
}

func TestReferences(t *testing.T) {
	t.Parallel()
	e := newEditor(t, notes, nil)
	e.synced()
	references := func(params object) string {
		t.Helper()
		params["context"] = object{"includeDeclaration": false}
		var got []location
		e.call("textDocument/references", params, &got)
		names := []string{}
		for _, l := range got {
			names = append(names, e.name(l))
		}
		return strings.Join(names, " ")
	}
	e.open("ada.md", "")
	if got, want := references(e.at("ada.md", "---\n¦")), "people/babbage.md:2:12 people/babbage.md:2:53 people/babbage.md:4:4"; got != want {
		t.Errorf("of the page: %s, want %s", got, want)
	}
	heading := strings.Repeat("\n", 13) + "## ¦"
	if got, want := references(e.at("ada.md", heading)), "people/babbage.md:2:12 people/babbage.md:4:4"; got != want {
		t.Errorf("of the heading: %s, want %s", got, want)
	}
	// A text that is not saved counts as it is.
	at := e.edit("people/babbage.md", "# Babbage\n\n[[Ada Lovelace]] ¦and [[ada]]")
	if got, want := references(e.at("ada.md", "---\n¦")), "people/babbage.md:2:0 people/babbage.md:2:21"; got != want {
		t.Errorf("unsaved: %s, want %s", got, want)
	}
	if got, want := references(at), "ada.md:19:13 plan.org:6:4"; got != want {
		t.Errorf("of the page of the text: %s, want %s", got, want)
	}
}

func TestDocumentSymbols(t *testing.T) {
	t.Parallel()
	type symbol struct {
		Name           string
		SelectionRange rng
		Children       []symbol
	}
	var show func(list []symbol) string
	show = func(list []symbol) string {
		out := []string{}
		for _, s := range list {
			name := fmt.Sprintf("%s@%d", s.Name, s.SelectionRange.Start.Line)
			if len(s.Children) > 0 {
				name += "(" + show(s.Children) + ")"
			}
			out = append(out, name)
		}
		return strings.Join(out, " ")
	}
	e := newEditor(t, notes, nil)
	e.synced()
	e.open("a.md", "# A\n## B\n### C\n## D\n# E\n")
	e.open("b.org", "* A\n*** B\n** C\n:PROPERTIES:\n:ID: 11111111-95f0-4e0f-8a5e-6f6e2f5b8a12\n:END:\n*** D\n")
	for file, want := range map[string]string{
		"a.md": "A@0(B@1(C@2) D@3) E@4", "b.org": "A@0(B@1 C@2(D@6))",
		"ada.md": "Ada Lovelace@8(Letters@13 Relations@17)", // not open
	} {
		var got []symbol
		e.call("textDocument/documentSymbol", object{"textDocument": object{"uri": e.uri(file)}}, &got)
		if show(got) != want {
			t.Errorf("%s: %s, want %s", file, show(got), want)
		}
	}
}

func TestDocumentLinks(t *testing.T) {
	t.Parallel()
	e := newEditor(t, notes, nil)
	e.synced()
	e.open("new.md", "[[Ada Lovelace]] [[Nobody]] [x](people/babbage.md)")
	var got []struct {
		Range  rng
		Target string
	}
	e.call("textDocument/documentLink", object{"textDocument": object{"uri": e.uri("new.md")}}, &got)
	if len(got) != 2 || got[0].Target != e.uri("ada.md") || got[1].Target != e.uri("people/babbage.md") || got[0].Range.End.Character != 16 {
		t.Errorf("%+v", got)
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	e := newEditor(t, notes, nil)
	e.synced()
	tests := []struct{ file, text, want string }{
		{"new.md", "see [[lov¦", "Ada Lovelace=Ada Lovelace]]"},
		{"new.md", "see [[lov¦]]", "Ada Lovelace=Ada Lovelace"},
		{"new.md", "😀 [[count¦", "Countess=Ada Lovelace|Countess]]"},
		{"new.md", "[[ada#¦", "Ada Lovelace=Ada Lovelace]] Letters=Letters]] Relations=Relations]]"},
		{"new.md", "[[ada#le¦]]", "Letters=Letters"},
		{"new.md", "[[ada#^¦", "^mother=^mother]]"},
		{"new.md", "# Own\n[[#o¦", "Own=Own]]"},
		{"new.md", "text #en¦", "engines=engines"},
		{"new.md", "#¦", ""},
		{"new.md", "- wor¦", "works_with=works_with [["},
		{"new.md", "---\nty¦\n---\n", "type=type: "},
		{"new.md", "---\ntype: p¦\n---\n", "person=person"},
		{"new.md", "---\ntags: [engines, m¦]\n---\n", "maths=maths"},
		{"new.md", "---\ntags:\n  - m¦\n---\n", "maths=maths"},
		{"new.md", "---\nstatus: st¦\n---\n", "stale=stale"},
		{"new.md", "[[ada|x¦", ""},
		{"new.md", "plain te¦xt", ""},
		{"new.org", "[[lat¦", "Later=id:9d1c4d6e-95f0-4e0f-8a5e-6f6e2f5b8a12][Later]]"},
		{"new.org", "* Head :ma¦", "maths=maths"},
	}
	for _, tc := range tests {
		var got struct {
			Items []struct {
				Label    string
				TextEdit struct{ NewText string }
			}
		}
		e.call("textDocument/completion", e.edit(tc.file, tc.text), &got)
		names := []string{}
		for _, i := range got.Items {
			names = append(names, i.Label+"="+i.TextEdit.NewText)
		}
		if got := strings.Join(names, " "); got != tc.want {
			t.Errorf("%q: %s, want %s", tc.text, got, tc.want)
		}
	}
}

func TestDiagnosticsAsOneTypes(t *testing.T) {
	t.Parallel()
	e := newEditor(t, notes, nil)
	e.synced()
	e.open("new.md", "# New\n\n[[Nobody]] [[ada#Nowhere]] [[#Nothing]] [[ada#^nope]]\n")
	want := []string{
		"2:0 broken-link: no page is called Nobody", "2:11 broken-anchor: ada.md has no Nowhere",
		"2:27 broken-anchor: this page has no Nothing", "2:40 broken-anchor: ada.md has no ^nope",
	}
	got := e.diagnostics("new.md", func(found []string) bool { return len(found) >= 4 })
	if diff := cmp.Diff(want, slices.Sorted(slices.Values(got))); diff != "" {
		t.Error(diff)
	}
	// The anchor appears in the other text, which is not saved.
	e.open("ada.md", "# Ada Lovelace\n\n## Nowhere\n\nx ^nope\n")
	e.diagnostics("new.md", func(found []string) bool { return len(found) == 2 })
	e.notify("textDocument/didChange", object{
		"textDocument":   object{"uri": e.uri("new.md"), "version": 2},
		"contentChanges": []object{{"range": object{"start": object{"line": 2, "character": 0}, "end": object{"line": 2, "character": 999}}, "text": "[[ada]]"}},
	})
	e.diagnostics("new.md", func(found []string) bool { return len(found) == 0 })
}

// A copy of a page says that it has the id of another, whether that one is open or not.
func TestDuplicateIDs(t *testing.T) {
	t.Parallel()
	const own, other = "5a0f7c1e-8a52-4a63-9c41-0d5c7f1b2e90", "7d2b9a34-1c6e-4f0b-b7a8-3e5d6c4f1a02"
	page := func(id string) string { return "---\ntitle: Ada\nid: " + id + "\n---\n" }
	e := newEditor(t, map[string]string{
		"a.md": page(own), "b.org": "* Later\n:PROPERTIES:\n:ID: " + other + "\n:END:\n",
	}, nil)
	e.synced()
	repeated := func(name string, want ...string) {
		t.Helper()
		e.diagnostics(name, func(found []string) bool {
			found = slices.DeleteFunc(found, func(f string) bool { return !strings.Contains(f, " id-repeated: ") })
			return slices.Equal(found, want)
		})
	}
	e.open("copy.md", page(own))
	repeated("copy.md", "2:0 id-repeated: the id "+own+" is in copy.md and in a.md")
	e.open("heading.org", "* Text\n\n* Copy\n:PROPERTIES:\n:ID: "+other+"\n:END:\n")
	repeated("heading.org", "4:0 id-repeated: the id "+other+" is in heading.org and in b.org")
	// The editor has another text of the page, without the id.
	e.open("a.md", "# Ada\n")
	repeated("copy.md")
	e.open("second.md", page(own))
	repeated("copy.md", "2:0 id-repeated: the id "+own+" is in copy.md and in second.md")
}

func TestIncrementalChanges(t *testing.T) {
	t.Parallel()
	e := newEditor(t, notes, nil)
	e.synced()
	e.open("new.md", "😀 [[x]]\nlast")
	change := func(version int, changes ...object) {
		e.notify("textDocument/didChange", object{"textDocument": object{"uri": e.uri("new.md"), "version": version}, "contentChanges": changes})
	}
	span := func(l1, c1, l2, c2 int) object {
		return object{"start": object{"line": l1, "character": c1}, "end": object{"line": l2, "character": c2}}
	}
	change(2, object{"range": span(0, 5, 0, 6), "text": "Ada"}, object{"range": span(0, 8, 0, 8), "text": " Lovelace"})
	var got *location
	e.call("textDocument/definition", e.at("new.md", "😀 [[Ada¦"), &got)
	if got == nil || e.name(*got) != "ada.md:0:0" {
		t.Errorf("%+v", got)
	}
	change(3, object{"text": "[[Babbage]]"})
	e.call("textDocument/definition", e.at("new.md", "[[¦"), &got)
	if got == nil || e.name(*got) != "people/babbage.md:0:0" {
		t.Errorf("%+v", got)
	}
	change(4, object{"range": span(99, 0, 5, 5), "text": "x"}, object{"range": span(-3, -3, -1, 4), "text": "y"})
	e.call("textDocument/definition", e.at("new.md", "y[[¦"), &got)
	if got == nil || e.name(*got) != "people/babbage.md:0:0" {
		t.Errorf("after bad ranges: %+v", got)
	}
}

func TestUTF8Positions(t *testing.T) {
	t.Parallel()
	e := bare(t, notes)
	var got struct {
		Capabilities struct{ PositionEncoding string }
	}
	e.call("initialize", object{"capabilities": object{"general": object{"positionEncodings": []string{"utf-16", "utf-8"}}}}, &got)
	if got.Capabilities.PositionEncoding != "utf-8" {
		t.Fatal(got.Capabilities.PositionEncoding)
	}
	e.synced()
	e.open("new.md", "😀 [[ada]]")
	var at *location
	e.call("textDocument/definition", object{"textDocument": object{"uri": e.uri("new.md")}, "position": object{"line": 0, "character": len("😀 [[a")}}, &at)
	if at == nil {
		t.Error("no definition")
	}
}

// A document outside of all spaces, and one without a file, get empty answers.
func TestDocumentsElsewhere(t *testing.T) {
	t.Parallel()
	e := newEditor(t, notes, nil)
	e.synced()
	for _, uri := range []string{"file:///elsewhere/x.md", "untitled:Untitled-1", "file://host/x.md", "%zz", e.uri(".obsidian/x.md"), e.uri("x.txt"), e.uri("../x.md")} {
		e.notify("textDocument/didOpen", object{"textDocument": object{"uri": uri, "version": 1, "text": "[[ada]] #x\n"}})
		at := object{"textDocument": object{"uri": uri}, "position": object{"line": 0, "character": 3}, "context": object{}, "newName": "x"}
		for _, method := range []string{"definition", "hover", "references", "documentSymbol", "documentLink", "completion"} {
			if a := e.try("textDocument/"+method, at); a.Error != nil || string(a.Result) != "null" {
				t.Errorf("%s of %s: %s %v", method, uri, a.Result, a.Error)
			}
		}
	}
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	e := bare(t, notes)
	if a := e.try("textDocument/hover", object{}); a.Error == nil || a.Error.Code != -32002 {
		t.Errorf("before initialize: %+v", a)
	}
	e.call("initialize", object{"capabilities": object{}}, nil)
	if a := e.try("initialize", object{"capabilities": object{}}); a.Error == nil {
		t.Error("initialized twice")
	}
	e.notify("initialized", object{})
	if a := e.try("no/such", object{}); a.Error == nil || a.Error.Code != -32601 {
		t.Errorf("unknown method: %+v", a)
	}
	if a := e.try("textDocument/hover", []int{1}); a.Error == nil || a.Error.Code != -32602 {
		t.Errorf("bad parameters: %+v", a)
	}
	e.notify("no/such", nil)
	e.call("shutdown", nil, nil)
	if a := e.try("textDocument/hover", object{}); a.Error == nil || a.Error.Code != -32600 {
		t.Errorf("after shutdown: %+v", a)
	}
	e.notify("exit", nil)
	if err := e.ended(); err != nil {
		t.Error(err)
	}
}

func (e *editor) ended() error {
	select {
	case err := <-e.ends:
		return err
	case <-time.After(patience):
		return errors.New("the server does not end")
	}
}

func TestExitWithoutShutdown(t *testing.T) {
	t.Parallel()
	e := newEditor(t, notes, nil)
	e.notify("exit", nil)
	if err := e.ended(); !errors.Is(err, lsp.ErrNoShutdown) {
		t.Error(err)
	}
}

// The end of the input ends the server.
func TestEndOfInput(t *testing.T) {
	t.Parallel()
	e := newEditor(t, notes, nil)
	if err := e.in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := e.ended(); err != nil {
		t.Error(err)
	}
}

// Invalid messages are answered with an error, and the session goes on where it can.
func TestHostileFrames(t *testing.T) {
	t.Parallel()
	e := newEditor(t, notes, nil)
	refused := func(frame string) {
		t.Helper()
		e.raw(frame)
		e.wait("answer", func(p json.RawMessage) bool { return strings.Contains(string(p), `"error"`) })
	}
	for _, content := range []string{"{", "[]", `"x"`, "\xff\xfe", `{"id":1,"method":5}`, strings.Repeat("[", 100000)} {
		refused(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(content), content))
	}
	e.raw("content-length:2\r\nContent-Type: x\r\n\r\n{}") // an answer to nothing
	if a := e.try("textDocument/hover", object{"textDocument": object{"uri": "x:y"}}); a.Error != nil {
		t.Error(a.Error)
	}
	e.raw("Content-Length: 9999999999\r\n\r\n") // is skipped as far as it comes
	e.raw(strings.Repeat("x", 1<<16))
	if err := e.in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := e.ended(); err != nil && kb.CodeOf(err) != kb.Invalid {
		t.Error(err)
	}
	for _, header := range []string{"\r\n\r\n", "Content-Length: -1\r\n\r\n", "Content-Length: 99999999999999999999\r\n\r\n", "X: " + strings.Repeat("y", 100000) + "\r\n\r\n"} {
		e := newEditor(t, notes, nil)
		go func() { _, _ = io.WriteString(e.in, header) }() // the server may stop reading
		if err := e.ended(); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%.40q: %v", header, err)
		}
	}
}

// blocked is a memory that opens when the test says so.
type blocked struct{ asked chan struct{} }

func (b blocked) Session(ctx context.Context, _ bool) (*memory.Session, error) {
	b.asked <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestCancelledRequest(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 100)
	e := &editor{t: t, root: "/x", answers: map[string]chan answer{}, notes: make(chan notification, 100), ends: make(chan error, 1)}
	e.start(blocked{asked: asked})
	e.call("initialize", object{"capabilities": object{}}, nil)
	id, c := e.begin("textDocument/hover", object{"textDocument": object{"uri": "file:///x/a.md"}})
	<-asked
	e.notify("$/cancelRequest", object{"id": 12345})
	e.notify("$/cancelRequest", object{"id": id})
	select {
	case a := <-c:
		if a.Error == nil || a.Error.Code != -32800 {
			t.Errorf("%+v", a)
		}
	case <-time.After(patience):
		t.Fatal("no answer")
	}
	_, c = e.begin("textDocument/hover", object{"textDocument": object{"uri": "file:///x/a.md"}})
	<-asked
	e.call("shutdown", nil, nil)
	if a := <-c; a.Error == nil || a.Error.Code != -32800 {
		t.Errorf("%+v", a)
	}
	e.notify("exit", nil)
	if err := e.ended(); err != nil {
		t.Error(err)
	}
}

// Without a memory the answers are empty.
func TestNoMemory(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	e := &editor{t: t, root: b.Home, answers: map[string]chan answer{}, notes: make(chan notification, 100), ends: make(chan error, 1)}
	e.start(b.Absent())
	e.call("initialize", object{"capabilities": object{}}, nil)
	e.notify("initialized", object{})
	at := e.edit("a.md", "[[x¦]]")
	if a := e.try("textDocument/definition", at); a.Error != nil || string(a.Result) != "null" {
		t.Errorf("%s %v", a.Result, a.Error)
	}
}
