package foreign_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/transfer/foreign"
	"github.com/cairn-kb/cairn/internal/transfer/foreign/foreigntest"
)

func TestOpenCode(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "opencode.db")
	foreigntest.OpenCode(t, file)
	all, err := foreign.OpenCode{}.Sessions(t.Context(), file)
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	var id string
	for id = range all {
	}
	lines := 0
	if err := (foreign.OpenCode{}).Lines(t.Context(), file, id, func(line []byte) bool {
		if lines++; lines == 1 && !bytes.Contains(line, []byte(`"directory":"/home/ada/api"`)) {
			t.Errorf("the first line: %s", line)
		}
		return true
	}); err != nil || lines < 10 {
		t.Errorf("%d lines, %v", lines, err)
	}
	lines = 0
	if err := (foreign.OpenCode{}).Lines(t.Context(), file, id, func([]byte) bool { lines++; return false }); err != nil || lines != 1 {
		t.Errorf("%d lines, %v", lines, err)
	}
	// A part that is still written changes the time of its session.
	foreigntest.OpenCodeAdds(t, file, id, "And a test")
	later, err := foreign.OpenCode{}.Sessions(t.Context(), file)
	if err != nil || !later[id].Equal(time.UnixMilli(1995963308611)) {
		t.Errorf("%v, then %v, %v", all, later, err)
	}
	text := filepath.Join(t.TempDir(), "text.db")
	if err := os.WriteFile(text, []byte("not a database at all, but long enough to look like one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (foreign.OpenCode{}).Sessions(t.Context(), text); kb.CodeOf(err) != kb.Invalid {
		t.Errorf("%v", err)
	}
}
