package operation_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Of two sections of one name under one heading, each can be read and changed.
func TestSectionsOfOneName(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	b.must("write", `{"ref":"p","text":"# A\n\n## Same\n1\n\n## Same\n2\n"}`)
	_, err := b.call("read", `{"ref":"p","section":"Same"}`)
	if e := kb.AsError(err); kb.CodeOf(err) != kb.Ambiguous || !strings.Contains(e.Hint, "A > Same#1, A > Same#2") {
		t.Fatalf("read: %v", err)
	}
	b.must("edit", `{"ref":"p","edits":[{"do":"append","section":"A > Same#2","text":"two"}]}`)
	if got := b.must("read", `{"ref":"p","section":"Same#2"}`)["text"]; got != "## Same\n2\n\ntwo\n" && got != "## Same\n2\ntwo\n" {
		t.Errorf("the second section is %q", got)
	}
	if got := b.must("read", `{"ref":"p","section":"A > Same#1"}`)["text"].(string); strings.Contains(got, "two") {
		t.Errorf("the first section is %q", got)
	}
}

// A line that is longer than the budget is cut, between characters.
func TestReadCutsALongLine(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	b.must("write", `{"ref":"x","text":"short\n`+strings.Repeat("\u00e9", 100)+`\nlast\n"}`)
	for _, tc := range []struct{ input, text, more string }{
		{`{"ref":"x","lines":[1,3],"budget":4}`, "short\n", "lines 2 to 3"},
		{`{"ref":"x","lines":[2,3],"budget":4}`, strings.Repeat("\u00e9", 8), "the rest of line 2, with a larger budget; lines 3 to 3"},
		{`{"ref":"x","lines":[2,2],"budget":4}`, strings.Repeat("\u00e9", 8), "the rest of line 2, with a larger budget"},
		{`{"ref":"x","lines":[3,3],"budget":2}`, "last\n", ""},
	} {
		m := b.must("read", tc.input)
		if more, _ := m["more"].(string); m["text"] != tc.text || more != tc.more {
			t.Errorf("%s: %q, more %q", tc.input, m["text"], more)
		}
	}
}
