package write_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
)

// In a Logseq graph no write gives two pages one name, however it names them.
func TestPageNamesAreUnique(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	s := m.Space("notes", m.Files(nil))
	s.Syntax = "logseq"
	m.Apply(request(put(s, "pages/a.md", "title:: Alpha\n\n- a\n"), put(s, "pages/b.md", "title:: Beta\n\n- b\n")))
	over := func(path, text string) write.Change {
		return write.Change{Space: s, Path: path, Action: write.Put{Bytes: []byte(text), Overwrite: true}}
	}
	for _, tc := range []struct {
		name    string
		changes []write.Change
		want    kb.Code
	}{
		{"new", []write.Change{put(s, "pages/c.md", "title:: alpha\n\n- c\n")}, kb.Conflict},
		{"put over", []write.Change{over("pages/b.md", "title:: Alpha\n\n- b\n")}, kb.Conflict},
		{"two new", []write.Change{put(s, "pages/c.md", "title:: Gamma\n\n- c\n"), put(s, "pages/d.md", "title:: gamma\n\n- d\n")}, kb.Conflict},
		{"new beside a renamed one", []write.Change{put(s, "pages/c.md", "title:: Delta\n\n- c\n"), over("pages/b.md", "title:: Delta\n\n- b\n")}, kb.Conflict},
		{"put over with its name", []write.Change{over("pages/b.md", "title:: Beta\n\n- more\n")}, ""},
		{"exchanged", []write.Change{over("pages/a.md", "title:: Beta\n\n- a\n"), over("pages/b.md", "title:: Alpha\n\n- b\n")}, ""},
		{"name that is free by the set", []write.Change{over("pages/a.md", "title:: Other\n\n- a\n"), put(s, "pages/c.md", "title:: Beta\n\n- c\n")}, ""},
	} {
		if _, err := m.Writer.Apply(t.Context(), request(tc.changes...)); kb.CodeOf(err) != tc.want {
			t.Errorf("%s: got %v, want %q", tc.name, err, tc.want)
		}
	}
}
