package write_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
)

// TestIDInTwoDocuments copies a document with its id: the write says so, a dry run as
// the write itself, and the page that has the id keeps it, whatever the paths.
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
		put := func(s *write.Space, path, text string) write.Change {
			return write.Change{Space: s, Path: path, Action: write.Put{Bytes: []byte(text), Copied: true}}
		}
		says(warnings(put(s, "note.md", text), false), "")
		const both = "the id " + id + " is in note.md and note copy.md: the page of note.md has it"
		says(warnings(put(s, "note copy.md", text), true), both)
		says(warnings(put(s, "note copy.md", text), false), both)
		if got := m.Pages(s)["note.md"].ID; got != kb.ID(id) {
			t.Errorf("note.md has %s", got)
		}

		// The page that has it is told as well, and one with a shorter path.
		again := write.Change{Space: s, Path: "note.md", Action: write.Put{Bytes: []byte(text + "more\n"), Overwrite: true}}
		says(warnings(again, false), both)
		const three = "the id " + id + " is in note.md, n.md and note copy.md: the page of note.md has it"
		says(warnings(put(s, "n.md", text), true), three)
		says(warnings(put(s, "n.md", text), false), three)

		// Who leaves a path does not share an id with what was there.
		m.Apply(request(write.Change{Space: s, Path: "note copy.md", Action: write.Delete{}}, write.Change{Space: s, Path: "n.md", Action: write.Delete{}}))
		move := write.Change{Space: s, Path: "note.md", Action: write.Move{To: "moved.md"}}
		says(warnings(move, true), "")
		says(warnings(move, false), "")
	})
}

// TestIDOfAnotherPage: no write gives a document the id of another page, however it has it.
func TestIDOfAnotherPage(t *testing.T) {
	t.Parallel()
	const (
		id    = "7d5a1f4e-7a2b-4a63-9a3e-0f6f1c2b3a4d"
		fresh = "8d5a1f4e-7a2b-4a63-9a3e-0f6f1c2b3a4d"
	)
	text := func(id string) string { return "---\nid: " + id + "\n---\n# A note\n" }
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		m.Apply(request(put(s, "people/ada.md", text(id)), put(s, "people/bob.md", "# Bob\n"), put(s, "own.md", "# Own\n")))
		derived := string(m.Pages(s)["people/bob.md"].ID)
		over := func(path, text string) write.Change {
			return write.Change{Space: s, Path: path, Action: write.Put{Bytes: []byte(text), Overwrite: true}}
		}
		restored := func(of kb.ID) write.Request {
			r := request(write.Change{Space: s, Path: "a.md", Action: write.Put{Bytes: []byte(text(id)), ID: of}})
			r.Operation = "restore"
			return r
		}
		for name, tc := range map[string]struct {
			req write.Request
			has string
		}{
			"a new page":                      {request(put(s, "a.md", text(id))), "people/ada.md"},
			"an id in capitals":               {request(put(s, "a.md", text(strings.ToUpper(id)))), "people/ada.md"},
			"the id that a path gives":        {request(put(s, "a.md", text(derived))), "people/bob.md"},
			"an edit":                         {request(edit(s, "own.md", doc.SetProperty{Key: "id", Value: id})), "people/ada.md"},
			"another text":                    {request(over("own.md", text(id))), "people/ada.md"},
			"a heading":                       {request(put(s, "a.org", "* One\n:PROPERTIES:\n:ID: "+id+"\n:END:\n")), "people/ada.md"},
			"two new pages":                   {request(put(s, "a.md", text(fresh)), put(s, "b.md", text(fresh))), "a.md"},
			"a page that moves meanwhile":     {request(write.Change{Space: s, Path: "people/ada.md", Action: write.Move{To: "ada.md"}}, put(s, "a.md", text(id))), "ada.md"},
			"a page that had it and was gone": {restored(kb.ID(id)), "people/ada.md"},
		} {
			for _, dry := range []bool{true, false} {
				tc.req.DryRun = dry
				_, err := m.Writer.Apply(t.Context(), tc.req)
				if e := kb.AsError(err); kb.CodeOf(err) != kb.Conflict || !strings.Contains(e.Error(), "is that of "+tc.has) {
					t.Errorf("%s: got %v", name, err)
				}
			}
		}
		if got := m.Pages(s)["people/ada.md"].ID; got != id {
			t.Errorf("people/ada.md has %s", got)
		}

		// A page that is deleted or loses the id in the same write has it no longer, and
		// text over a page keeps the id of that page.
		m.Apply(request(write.Change{Space: s, Path: "people/ada.md", Action: write.Delete{}}, put(s, "a.md", text(id))))
		m.Apply(request(edit(s, "a.md", doc.SetProperty{Key: "id", Value: fresh}), edit(s, "own.md", doc.SetProperty{Key: "id", Value: id})))
		m.Apply(request(write.Change{Space: s, Path: "a.md", Action: write.Put{Bytes: []byte(text(id)), Overwrite: true, KeepID: true}}))
		if got := m.Pages(s); got["a.md"].ID != fresh || got["own.md"].ID != id {
			t.Errorf("they have %s and %s", got["a.md"].ID, got["own.md"].ID)
		}
	})
}
