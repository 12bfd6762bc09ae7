package operation_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/operation/operationtest"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// refs are those of the pages that the memory has, one a line.
func (b *tools) refs(query string) string {
	b.T.Helper()
	var out []string
	for _, p := range b.must("browse", query)["items"].([]any) {
		out = append(out, p.(map[string]any)["ref"].(string))
	}
	return strings.Join(out, " ")
}

// Thirty pages are tagged by one call, and one undo takes that back.
func TestTagManyIsOneCall(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	for i := range 30 {
		b.must("write", fmt.Sprintf(`{"ref":"in/p%02d","text":"Text.","tags":["old"]}`, i))
	}
	b.must("write", `{"ref":"other","text":"Text."}`)
	m := b.must("edit", `{"where":["path:in","tag:old"],"edits":[{"do":"tag","text":"new"},{"do":"untag","text":"old"}]}`)
	if n := len(operationtest.At(t, m, "refs").([]any)); n != 30 || m["count"] != 30.0 {
		t.Errorf("%d pages were changed", n)
	}
	if got := operationtest.At(t, b.must("browse", `{"tags":"new"}`), "total"); got != 30.0 {
		t.Errorf("%v pages have the tag", got)
	}
	if m := b.must("browse", `{"what":"tags"}`); len(m["items"].([]any)) != 1 || operationtest.At(t, m, "items", 0, "tag") != "new" || operationtest.At(t, m, "items", 0, "pages") != 30.0 {
		t.Errorf("the tags are %v", m)
	}
	b.must("undo", `{}`)
	if got := operationtest.At(t, b.must("browse", `{"tags":"old"}`), "total"); got != 30.0 {
		t.Errorf("after undo %v pages have the old tag", got)
	}
}

// A folder is moved by one call: links keep working, and one undo takes it back.
func TestMoveFolderIsOneCall(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	for i := range 15 {
		b.must("write", fmt.Sprintf(`{"ref":"06 - Inbox/sub/p%02d","text":"To [next](p%02d.md) and [[hub]]."}`, i, (i+1)%15))
	}
	b.must("write", `{"ref":"hub","text":"See [p](06%20-%20Inbox/sub/p03.md)."}`)
	b.must("write", `{"ref":"Archive/there","text":"x"}`)
	before := b.refs(`{"limit":100}`)

	if _, err := b.call("edit", `{"ref":"06 - Inbox","edits":{"do":"move","text":"Archive"}}`); kb.CodeOf(err) != kb.Conflict {
		t.Errorf("a folder takes the name of another: %v", err)
	}
	if _, err := b.call("edit", `{"ref":"06 - Inbox","edits":{"do":"move","text":"06 - Inbox/deeper"}}`); kb.CodeOf(err) != kb.Usage {
		t.Errorf("a folder moves into itself: %v", err)
	}
	b.must("edit", `{"ref":"06 - Inbox","edits":{"do":"move","text":"Archive/"},"dry_run":true}`)
	if got := b.refs(`{"limit":100}`); got != before {
		t.Errorf("a dry run moved: %s", got)
	}
	m := b.must("edit", `{"ref":"06 - Inbox","edits":{"do":"move","text":"Archive/"}}`)
	if n := len(operationtest.At(t, m, "refs").([]any)); n != 16 {
		t.Errorf("%d pages were changed", n)
	}
	if pages, _ := m["pages"].([]any); len(pages) > 0 {
		t.Errorf("the refs say where all are, and %d pages are described as well", len(pages))
	}
	text := operationtest.At(t, b.must("read", `{"ref":"Archive/06 - Inbox/sub/p03"}`), "text").(string)
	if !strings.Contains(text, "[next](p04.md)") {
		t.Errorf("a page that moved reads %s", text)
	}
	if text := operationtest.At(t, b.must("read", `{"ref":"hub"}`), "text").(string); !strings.Contains(text, "(Archive/06%20-%20Inbox/sub/p03.md)") {
		t.Errorf("the page that links there reads %s", text)
	}
	b.must("undo", `{}`)
	if got := b.refs(`{"limit":100}`); got != before {
		t.Errorf("after undo there are %s, before there were %s", got, before)
	}
	b.must("edit", `{"where":"path:\"06 - Inbox\"","edits":{"do":"move","text":"Archive/"}}`)
	if got := b.refs(`{"path":"Archive/sub","limit":100}`); strings.Count(got, "Archive/sub/p") != 15 {
		t.Errorf("what was in the folder is at %s", got)
	}
	b.must("undo", `{}`)
	b.must("write", `{"ref":"06 - Inbox","text":"A page of the same name."}`)
	b.must("edit", `{"ref":"06 - Inbox/","edits":{"do":"move","text":"Later/Inbox"}}`)
	if got := b.refs(`{"path":"Later/Inbox/sub","limit":100}`); strings.Count(got, "Later/Inbox/sub/p") != 15 {
		t.Errorf("the renamed folder has %s", got)
	}
}

// A page to which many pages link that have faults is moved and taken back: the answers stay small.
func TestAnswersOfManyPagesAreSmall(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	files := map[string]string{"Hub.md": "The hub.\n"}
	for i := range 300 {
		files[fmt.Sprintf("n/p%03d.md", i)] = "---\ntitle: [open\n---\nSee [[Hub]].\n"
	}
	files["n/zzz.org"] = "* Open\n:PROPERTIES:\n:ID: a\n"
	a := b.Open().As(kb.Actor{Kind: kb.Human})
	apptest.OK(a.Spaces.Add(t.Context(), space.AddRequest{Root: b.Dir("vault", files), Name: "vault"}))(t)
	b.small("sync", `{"space":"vault"}`)
	tried := b.small("edit", `{"space":"vault","where":"path:n","edits":{"do":"append","text":"More."},"dry_run":true}`)
	if n := len(operationtest.At(t, tried, "pages").([]any)); n < 50 {
		t.Errorf("the answer of a dry run has %d pages", n)
	}
	moved := b.small("edit", `{"space":"vault","ref":"Hub","edits":{"do":"move","text":"Center"}}`)
	if n := len(operationtest.At(t, moved, "refs").([]any)); moved["count"] != 301.0 || n != 100 {
		t.Errorf("of %v pages %d are named", moved["count"], n)
	}
	if m := fmt.Sprint(moved["pages"]); !strings.Contains(m, "vault:Center") || strings.Contains(m, "n/p") {
		t.Errorf("pages with a remark are %s", m)
	}
	if notes := fmt.Sprint(moved["notes"]); strings.Count(notes, "300 pages: The frontmatter") != 1 {
		t.Errorf("notes are %s", notes)
	}
	b.small("undo", `{}`)
	away := b.small("edit", `{"space":"vault","ref":"n","edits":{"do":"move","text":"m"}}`)
	if m := fmt.Sprint(away["pages"]); !strings.Contains(m, "zzz") || strings.Count(m, "change:moved") != 20 {
		t.Errorf("after a move of a folder the pages are %s", m)
	}
	b.small("undo", `{}`)
	b.small("move", `{"ref":"vault:Hub","to":"vault:Center"}`)
	b.small("unreviewed", `{}`)
	b.small("change", fmt.Sprintf(`{"write":%v}`, moved["write"]))
	all := b.must("change", fmt.Sprintf(`{"write":%v,"budget":40000}`, moved["write"]))
	if n := strings.Count(fmt.Sprint(all["pages"]), "hunks"); n != 301 {
		t.Errorf("the differences of %d pages fit the budget", n)
	}
}

// A warning that one page has in many lines keeps them.
func TestWarningsOfOnePage(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	a := b.Open().As(kb.Actor{Kind: kb.Human})
	apptest.OK(a.Spaces.Add(t.Context(), space.AddRequest{Root: b.Dir("org", map[string]string{"x.org": "X\n"}), Name: "org"}))(t)
	b.small("sync", `{"space":"org"}`)
	text := strings.Repeat("* A\n:PROPERTIES:\n:ID: a\n", 7)
	m := b.must("write", fmt.Sprintf(`{"ref":"org:y","text":%q}`, text))
	if n := strings.Count(fmt.Sprint(m["pages"]), "line:"); n != 7 || m["notes"] != nil {
		t.Errorf("%d lines in %v", n, m)
	}
}

// small is must, of an answer that a model can read.
func (b *tools) small(name, input string) map[string]any {
	b.T.Helper()
	m := b.must(name, input)
	if text, err := json.Marshal(m); err != nil || len(text) > 30_000 {
		b.T.Errorf("%s answers %d bytes: %v", name, len(text), err)
	}
	return m
}

// Everything that is done to one page can be done to several, in one write.
func TestEditDoes(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	for _, name := range []string{"a", "b", "c", "d/e"} {
		b.must("write", fmt.Sprintf(`{"ref":%q,"text":"Text."}`, name))
	}
	b.must("edit", `{"refs":["a","b"],"edits":{"do":"relate","key":"part_of","text":"c"}}`)
	if m := b.must("browse", `{"what":"backlinks","ref":"c"}`); len(m["items"].([]any)) != 2 || operationtest.At(t, m, "items", 0, "link") != "part_of" {
		t.Errorf("c is linked from %v", m)
	}
	b.must("edit", `{"refs":["a","b","d/e"],"edits":{"do":"unrelate","text":"c"}}`)
	if m := b.must("browse", `{"what":"backlinks","ref":"c"}`); len(m["items"].([]any)) != 0 {
		t.Errorf("c is still linked from %v", m)
	}
	if _, err := b.call("edit", `{"refs":["a","b"],"edits":{"do":"unrelate","text":"c"}}`); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("removing what is nowhere answers %v", err)
	}
	b.must("edit", `{"refs":["a","d"],"edits":{"do":"delete"}}`)
	if got := b.refs(`{}`); got != "memory:b memory:c" {
		t.Errorf("left are %s", got)
	}
	b.must("edit", `{"refs":["a","d/e"],"edits":{"do":"restore"}}`)
	if got := b.refs(`{}`); got != "memory:a memory:b memory:c memory:d/e" {
		t.Errorf("after restore there are %s", got)
	}
	m := b.must("edit", `{"ref":"b","edits":[{"do":"append","text":"More."},{"do":"move","text":"d/"},{"do":"title","text":"Bee"}]}`)
	if operationtest.At(t, m, "pages", 0, "ref") != "memory:d/b" || operationtest.At(t, m, "pages", 0, "title") != "Bee" {
		t.Errorf("the page is %v", m)
	}
	b.must("edit", `{"refs":["a","c"],"edits":{"do":"move","text":"f/"}}`)
	if got := b.refs(`{"path":"f"}`); got != "memory:f/a memory:f/c" {
		t.Errorf("moved are %s", got)
	}

	// One that refuses: nothing happens, and all are named.
	_, err := b.call("edit", `{"refs":["f/a","f/c","d/b"],"edits":[{"do":"tag","text":"x"},{"do":"replace","find":"More.","text":"Less."}]}`)
	if text := err.Error(); !strings.Contains(text, "f/a.md (") || !strings.Contains(text, "f/c.md (") || strings.Contains(text, "d/b.md") {
		t.Errorf("the error is %v", err)
	}
	if got := b.refs(`{"tags":"x"}`); got != "" {
		t.Errorf("tagged are %s", got)
	}
	for input, code := range map[string]kb.Code{
		`{"edits":{"do":"delete"}}`:                                                   kb.Usage,
		`{"where":[],"edits":{"do":"delete"}}`:                                        kb.Usage,
		`{"where":["path:nowhere"],"edits":{"do":"delete"}}`:                          kb.NotFound,
		`{"ref":"f/a","where":["path:f"],"edits":{"do":"delete"}}`:                    kb.Usage,
		`{"refs":["f/a","f/c"],"edits":{"do":"move","text":"page"}}`:                  kb.Usage,
		`{"refs":["f/a","f/c"],"edits":{"do":"tag","text":"x"},"expected_version":1}`: kb.Usage,
		`{"ref":"f/a","edits":{"do":"tag","text":"x"},"expected_version":99}`:         kb.Conflict,
		`{"ref":"f/a","edits":[{"do":"restore"},{"do":"tag","text":"x"}]}`:            kb.Usage,
		`{"ref":"f/a","edits":{"do":"relate","text":"nowhere"}}`:                      kb.NotFound,
		`{"ref":"f","edits":{"do":"tag","text":"x"}}`:                                 kb.NotFound,
		`{"ref":"f/a","edits":{"do":"move"}}`:                                         kb.Usage,
		`{"ref":"f/a","edits":{"do":"restore","text":"first"}}`:                       kb.Usage,
		`{"refs":["f/a","nowhere"],"edits":{"do":"tag","text":"x"}}`:                  kb.NotFound,
	} {
		if _, err := b.call("edit", input); kb.CodeOf(err) != code {
			t.Errorf("%s answers %v, want %s", input, err, code)
		}
	}
}

// What a budget leaves out of a page is outlined.
func TestReadOutlines(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	var text strings.Builder
	for i := range 5 {
		fmt.Fprintf(&text, "# Part %d\n\n%s\n\n## Detail %d\n\n%s\n\n", i, strings.Repeat("word ", 40), i, strings.Repeat("word ", 40))
	}
	in, err := json.Marshal(map[string]string{"ref": "long", "text": text.String()})
	if err != nil {
		t.Fatal(err)
	}
	b.must("write", string(in))
	m := b.must("read", `{"ref":"long","budget":120}`)
	outline := fmt.Sprint(m["outline"])
	if !strings.Contains(outline, "[13:   Detail 1 17: Part 2 21:   Detail 2") {
		t.Errorf("the outline is %s", outline)
	}
	if m := b.must("read", `{"ref":"long","section":"Part 1"}`); m["outline"] != nil {
		t.Errorf("what is whole is outlined: %v", m["outline"])
	}
}
