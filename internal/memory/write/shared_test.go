package write_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
)

// TestIDInTwoDocuments puts an id into a second document: the write says so,
// whichever of the two gets it, and a dry run as the write itself.
func TestIDInTwoDocuments(t *testing.T) {
	t.Parallel()
	const id = "7d5a1f4e-7a2b-4a63-9a3e-0f6f1c2b3a4d"
	text := "---\nid: " + id + "\n---\n# A note\n"
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		warnings := func(change write.Change, dry bool) (out []string) {
			t.Helper()
			req := request(change)
			req.DryRun = dry
			for _, w := range m.Apply(req).Pages[0].Warnings {
				if w.Code == "shared-id" {
					out = append(out, w.Text)
				}
			}
			return out
		}
		says := func(got []string, want string) {
			t.Helper()
			if want == "" && len(got) == 0 || len(got) == 1 && got[0] == want {
				return
			}
			t.Errorf("got %q, want %q", got, want)
		}
		says(warnings(put(s, "note.md", text), false), "")
		const both = "the id " + id + " is in note.md and note copy.md: the page of note.md has it"
		says(warnings(put(s, "note copy.md", text), true), both)
		says(warnings(put(s, "note copy.md", text), false), both)
		if got := m.Pages(s)["note.md"].ID; got != kb.ID(id) {
			t.Errorf("note.md has %s", got)
		}

		// The page that has it is told as well, and one that takes it over.
		again := write.Change{Space: s, Path: "note.md", Action: write.Put{Bytes: []byte(text + "more\n"), Overwrite: true}}
		says(warnings(again, false), both)
		const three = "the id " + id + " is in n.md, note.md and note copy.md: the page of n.md has it"
		says(warnings(put(s, "n.md", text), true), three)
		says(warnings(put(s, "n.md", text), false), three)

		// Who leaves a path does not share an id with what was there.
		m.Apply(request(write.Change{Space: s, Path: "note copy.md", Action: write.Delete{}}, write.Change{Space: s, Path: "n.md", Action: write.Delete{}}))
		move := write.Change{Space: s, Path: "note.md", Action: write.Move{To: "moved.md"}}
		says(warnings(move, true), "")
		says(warnings(move, false), "")
	})
}
