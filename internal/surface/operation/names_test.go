package operation_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"

	"github.com/cairn-kb/cairn/internal/surface/operation/operationtest"
)

// A name that is read means the same page when it is written to.
func TestWriteByAName(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	b.must("write", `{"ref":"concepts/zettelkasten","title":"Zettelkasten","text":"Boxes of slips."}`)
	for _, input := range []string{
		`{"ref":"Zettelkasten","text":"oops"}`,
		`{"title":"zettelkasten","text":"oops"}`,
		`{"ref":"Zettelkasten","text":"oops","expected_version":0}`,
	} {
		_, err := b.call("write", input)
		e := kb.AsError(err)
		if err == nil || e.Code != kb.Conflict || e.Details["ref"] != "memory:concepts/zettelkasten" || e.Details["current_version"] != 1 {
			t.Fatalf("write %s: %v %v", input, err, e.Details)
		}
		if hint := operation.ForTool(e, nil); !strings.Contains(hint, "expected_version") || !strings.Contains(hint, "give new") {
			t.Errorf("the hint is %q", hint)
		}
	}
	m := b.must("write", `{"ref":"Zettelkasten","text":"Slips.","expected_version":1}`)
	if got := operationtest.At(t, m, "pages", 0, "ref"); got != "memory:concepts/zettelkasten" {
		t.Errorf("wrote %v", got)
	}
	_, err := b.call("write", `{"ref":"nowhere","text":"x","expected_version":3}`)
	if hint := operation.Failure(err, nil).Error.Hint; strings.Contains(hint, "new page") {
		t.Errorf("the hint on a wrong version leads to a new page: %q", hint)
	}
	for _, input := range []string{`{"ref":"Zettelkasten.md","text":"x"}`, `{"ref":"a/zettelkasten","text":"x"}`, `{"title":"Zettelkasten","text":"x","new":true}`} {
		m = b.must("write", input)
		if got := operationtest.At(t, m, "pages", 0, "change"); got != "created" {
			t.Errorf("write %s: %v", input, m)
		}
	}
}

// Remembering under a title that a page has answers with that page and what it says, as does
// the same text. Only new makes a second page.
func TestRememberOfATitleThatExists(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	b.must("remember", `{"text":"We use SQLite.\nIt needs no server."}`)
	for input, text := range map[string]any{
		`{"text":"We use SQLite.\nIt needs no server."}`:                          nil,
		`{"text":"Anything.","title":"We use SQLite"}`:                            "We use SQLite.\nIt needs no server.",
		`{"text":"We use SQLite.\nIt needs no server.","title":"we use  SQLite"}`: nil,
	} {
		m := b.must("remember", input)
		page := operationtest.At(t, m, "existing", 0).(map[string]any)
		if page["ref"] != "memory:we-use-sqlite" || page["version"] != 1.0 || page["text"] != text || len(operationtest.At(t, m, "pages").([]any)) != 0 {
			t.Errorf("remember %s: %v", input, m)
		}
	}
	m := b.must("remember", `{"text":"What else.","title":"We use SQLite","new":true}`)
	if got := operationtest.At(t, m, "pages", 0, "ref"); got != "memory:we-use-sqlite-2" {
		t.Errorf("a new page of the same title: %v", m)
	}
	if got := operationtest.At(t, m, "similar", 0); got.(map[string]any)["ref"] != "memory:we-use-sqlite" || got.(map[string]any)["snippet"] != "We use SQLite" {
		t.Errorf("similar page: %v", got)
	}
}
