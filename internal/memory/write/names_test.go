package write_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
)

// TestInvisibleNames: no write brings in a title, alias or tag with characters
// that nobody sees, by whichever way, and none is stopped by one that was there.
func TestInvisibleNames(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		refused := func(change write.Change, want string) {
			t.Helper()
			_, err := m.Writer.Apply(t.Context(), request(change))
			if kb.CodeOf(err) != kb.Invalid || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		}
		refused(put(s, "a.md", "---\ntitle: \"A\u200b note\"\n---\n"), `the title "A\u200b note" has an invisible character, U+200B`)
		refused(put(s, "a.md", "---\ntags: [\"re\u202ed\"]\n---\n"), `the tag "re\u202ed" has an invisible character, U+202E`)
		refused(put(s, "a.md", "---\naliases: [\"b\u2060c\"]\n---\n"), `the alias "b\u2060c"`)
		m.Apply(request(put(s, "a.md", "---\ntitle: Fine 👩\u200d💻\ntags: [می\u200cخواهم]\n---\nText may hold a\u200bnything.\n")))
		refused(edit(s, "a.md", doc.SetTitle{Title: "A\u00adb"}), "the title")
		refused(edit(s, "a.md", doc.AddTag{Tag: "x\ufeff"}), "the tag")
		refused(edit(s, "a.md", doc.SetTitle{Title: "A\u0085b"}), `the title "A\u0085b" has an invisible character, U+0085`)
		if len(m.Pages(s)) != 1 {
			t.Errorf("pages %v", m.Pages(s))
		}
	})

	// What others wrote is read, and can be edited without being mended.
	m := writetest.New(t)
	s := m.Space("notes", m.Files(map[string]string{"o\u200bdd.md": "---\ntags: [\"x\u200b\"]\n---\n# Odd\n"}))
	m.Apply(request(edit(s, "o\u200bdd.md", doc.Append{Text: "more\n"})))
	if page := m.Pages(s)["o\u200bdd.md"]; len(page.Tags) != 1 || !strings.Contains(m.Bytes(page), "more") {
		t.Errorf("page %+v", page)
	}
	res := m.Apply(request(edit(s, "o\u200bdd.md", doc.RemoveTag{Tag: "x\u200b"})))
	undo := request(write.Change{Space: s, Path: "o\u200bdd.md", Action: write.Put{Bytes: res.Pages[0].Old, Overwrite: true}})
	undo.Undoes = res.Write.ID
	m.Apply(undo)
	if page := m.Pages(s)["o\u200bdd.md"]; len(page.Tags) != 1 {
		t.Errorf("undone: %+v", page)
	}
}
