package operation_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/surface/operation/operationtest"
)

// Differences are short unless more is asked for, whatever a page's size and
// however many pages a write changes.
func TestLongDifferences(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	text := func(word string) string {
		var s strings.Builder
		for i := range 4000 {
			fmt.Fprintf(&s, "%s %d\n", word, i)
		}
		return s.String()
	}
	input := func(fields map[string]any) string {
		text, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	cut := func(m map[string]any, what string) string {
		t.Helper()
		diff, _ := m["diff"].(string)
		if len(diff) > 16_000 || m["diff_cut"] != true || diff != "" && !strings.HasSuffix(diff, "\n") {
			t.Errorf("%s shows %d bytes of difference, cut: %v", what, len(diff), m["diff_cut"])
		}
		return diff
	}
	page := func(m map[string]any) map[string]any { return operationtest.At(t, m, "pages", 0).(map[string]any) }

	m := b.must("write", input(map[string]any{"ref": "a", "text": text("old"), "diff": true}))
	if d := cut(page(m), "a write"); !strings.HasPrefix(d, "--- /dev/null\n+++ b/a.md\n") {
		t.Errorf("the difference starts with %.60q", d)
	}
	change := map[string]any{"ref": "a", "text": text("new"), "expected_version": 1, "dry_run": true}
	cut(page(b.must("write", input(change))), "a dry run")
	change["dry_run"] = false
	if m := page(b.must("write", input(change))); m["diff"] != nil || m["diff_cut"] != nil {
		t.Errorf("a write that was asked for no difference answers %v", m)
	}
	cut(b.must("diff", `{"ref":"a"}`), "diff")
	m = b.must("diff", `{"ref":"a","budget":200000}`)
	if d := operationtest.At(t, m, "diff").(string); strings.Count(d, "\n-old ") != 4000 || !strings.HasSuffix(d, "\n+new 3999\n") || m["diff_cut"] != nil {
		t.Errorf("with a budget for all of it diff shows %d bytes, cut: %v", len(d), m["diff_cut"])
	}

	b.must("write", input(map[string]any{"ref": "b", "text": text("b")}))
	m = b.must("undo", `{"actor":"agent:test","since":"yesterday","dry_run":true}`)
	sum := 0
	for i := range operationtest.At(t, m, "pages").([]any) {
		sum += len(cut(operationtest.At(t, m, "pages", i).(map[string]any), "undo"))
	}
	if sum == 0 || sum > 16_000 {
		t.Errorf("undo of two pages shows %d bytes of difference", sum)
	}
}
