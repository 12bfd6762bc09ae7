package operation_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"

	"github.com/cairn-kb/cairn/internal/surface/operation/operationtest"
)

func TestCore(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	b.must("remember", `{"text":"We use SQLite.\nIt needs no server.","tags":["storage"],"type":"decision"}`)
	m := b.must("remember", `{"text":"SQLite needs no server we use","title":"No server","links":"We use SQLite"}`)
	if got := operationtest.At(t, m, "similar", 0, "ref"); got != "memory:we-use-sqlite" {
		t.Errorf("similar is %v", got)
	}
	m = b.must("browse", `{"what":"neighbours","ref":"We use SQLite"}`)
	if operationtest.At(t, m, "items", 0, "ref") != "memory:no-server" || operationtest.At(t, m, "items", 0, "way") != "in" {
		t.Errorf("the neighbours are %v", m)
	}
	m = b.must("recall", `{"query":"what needs no server?","mode":"fts","detail":true}`)
	if s := operationtest.At(t, m, "items", 0, "score").(float64); s <= 0 || s*1000 != math.Trunc(s*1000) {
		t.Errorf("the score is %v", s)
	}
	// Fields that others imply are left out where nobody asks for detail.
	m = b.must("recall", `{"query":"what needs no server?","mode":"fts"}`)
	item := operationtest.At(t, m, "items", 0).(map[string]any)
	for _, name := range []string{"score", "lines"} {
		if item[name] != nil {
			t.Errorf("%s is in %v", name, item)
		}
	}
	if item["text"] == nil || item["text_lines"] == nil || m["spaces"] != nil {
		t.Errorf("a short answer is %v", m)
	}
	m = b.must("edit", `{"ref":"no-server","edits":{"do":"replace","find":"we use","text":"anywhere"},"diff":"true"}`)
	if d := operationtest.At(t, m, "pages", 0, "diff").(string); !strings.Contains(d, "+SQLite needs no server anywhere\n") {
		t.Errorf("the edit's difference is %s", d)
	}
	b.must("link", `{"from":"we-use-sqlite","to":"no-server","type":"implies"}`)
	b.must("link", `{"from":"we-use-sqlite","to":"no-server","type":"implies","do":"close","until":"2026-04-01"}`)
	for _, what := range []string{"pages", "tree", "recent", "links", "backlinks"} {
		m := b.must("browse", `{"what":"`+what+`","ref":"no-server"}`)
		if n := len(operationtest.At(t, m, "items").([]any)); n == 0 {
			t.Errorf("browse %s finds nothing", what)
		}
	}
	m = b.must("status", `{"detail":true}`)
	if operationtest.At(t, m, "current") != "memory" || operationtest.At(t, m, "pages") != 2.0 {
		t.Errorf("the status is %v", m)
	}
}

func TestInputThatIsRefused(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	b.must("write", `{"ref":"x","text":"y"}`)
	for _, tc := range []struct{ tool, input, argument, says string }{
		{"recall", `{}`, "query", "query is missing"},
		{"recall", `{"query":"x","limit":"many"}`, "limit", "a whole number from 1 to 100"},
		{"recall", `{"query":"x","limit":101}`, "limit", "a whole number from 1 to 100"},
		{"recall", `{"q":"x"}`, "q", `unknown argument "q"`},
		{"recall", `{"query":["a","b"]}`, "query", "one text, not a list"},
		{"recall", `{"query":"x","depth":"deep"}`, "depth", `cannot be "deep"`},
		{"read", `{"ref":"x","lines":[1,2,3]}`, "lines", "a list of 1 to 2 values"},
		{"edit", `{"ref":"x","edits":[{"do":"append"},{"do":"set"}]}`, "edits[1]", "needs a key"},
		{"edit", `{"ref":"x","edits":[{"do":"append","txt":"y"}]}`, "edits[0].txt", "unknown argument"},
	} {
		_, err := b.call(tc.tool, tc.input)
		e := kb.AsError(err)
		if err == nil || e.Code != kb.Usage {
			t.Errorf("%s %s answers %v", tc.tool, tc.input, err)
			continue
		}
		if e.Details["argument"] != tc.argument || !strings.Contains(e.Message, tc.says) {
			t.Errorf("%s %s: %s (argument %v)", tc.tool, tc.input, e.Message, e.Details["argument"])
		}
	}
}

// What an agent reads before it does anything else is to be short.
func TestCoreIsShort(t *testing.T) {
	t.Parallel()
	var core []*operation.Tool
	for _, tool := range operation.Tools() {
		if slices.Contains(tool.Sets, operation.Core) {
			core = append(core, tool)
		}
	}
	if n := len(core); n == 0 || n > 8 {
		t.Errorf("there are %d tools in the core set", n)
	}
	c, err := operation.Count(core)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("descriptions %d tokens, tools/list %d", c.Descriptions, c.Input)
	if c.Input == 0 || c.Input > 3000 {
		t.Errorf("the core set costs an agent %d tokens", c.Input)
	}
}

// So is what the tools of another memory cost here.
func TestNotesAreShort(t *testing.T) {
	t.Parallel()
	var notes []*operation.Tool
	for _, tool := range operation.Tools() {
		if slices.Contains(tool.Sets, operation.Notes) {
			notes = append(notes, tool)
		}
	}
	c, err := operation.Count(notes)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tools cost %d tokens, %d with the schemas of their answers", c.Tools, c.Input, c.All)
	if c.Input == 0 || c.Input > 4500 {
		t.Errorf("the set notes costs an agent %d tokens", c.Input)
	}
}

func TestMemoryIsShort(t *testing.T) {
	t.Parallel()
	var set []*operation.Tool
	for _, tool := range operation.Tools() {
		if slices.Contains(tool.Sets, operation.Memories) {
			set = append(set, tool)
		}
	}
	c, err := operation.Count(set)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tools cost %d tokens, %d with the schemas of their answers", c.Tools, c.Input, c.All)
	if c.Tools != 22 || c.Input > 4600 || c.All > 4600 {
		t.Errorf("the set memory has %d tools and costs an agent %d tokens, %d in all", c.Tools, c.Input, c.All)
	}
}

// What an agent is told to do next it can do with the tools it has.
func TestHintsNameTools(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	b.must("remember", `{"text":"A stone."}`)
	for _, tc := range []struct{ tool, input, hint string }{
		{"read", `{"ref":"xyzzy"}`, "recall"},
		{"write", `{"ref":"a-stone","text":"x"}`, "expected_version"},
		{"browse", `{"what":"tree","path":"nowhere"}`, "browse"},
		{"undo", `{"write":99}`, "browse"},
		{"read", `{"ref":"a-stone","lines":[9,8]}`, "those it has: 1 to 6"},
		{"link", `{"from":"a-stone","space":"memory"}`, "names its space, as in notes:slug"},
	} {
		_, err := b.call(tc.tool, tc.input)
		if hint := operation.Failure(err, nil).Error.Hint; !strings.Contains(hint, tc.hint) || strings.Contains(hint, "cairn ") {
			t.Errorf("%s %s: the hint is %q", tc.tool, tc.input, hint)
		}
	}
}

// A text where the page is to be named makes no empty page of that name.
func TestWriteOfATextAsRef(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	_, err := b.call("write", `{"ref":"Two words here.","title":"T","text":""}`)
	if kb.CodeOf(err) != kb.Usage || !strings.Contains(err.Error(), "looks like the text of a page") {
		t.Errorf("answers %v", err)
	}
	b.must("write", `{"ref":"Two words here.","title":"T","text":"A page of that name."}`)
	b.must("write", `{"ref":"Two words here.","title":"T","text":"","expected_version":1}`)
}
