package write_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
)

// Whatever is put over a page, the id that it carries stays, and the answer
// names the metadata that went.
func TestPutKeepsID(t *testing.T) {
	t.Parallel()
	const (
		id    = "11111111-2222-4333-8444-555555555555"
		other = "99999999-2222-4333-8444-555555555555"
		page  = "---\nid: " + id + "\ncreated: 2020-01-01\nmine: [x]\nMine: y\n---\n# Old\n"
	)
	for _, tc := range []struct{ name, text, want, notes string }{
		{"plain text", "# A new\n", "---\nid: " + id + "\n---\n\n# A new\n", "kept its id; metadata that the new text does not have is gone: created, mine"},
		{"nothing", "", "---\nid: " + id + "\n---\n", "kept its id; metadata that the new text does not have is gone: created, mine"},
		{"other metadata", "---\ntitle: T\ncreated: 2021-01-01\n---\nNew.\n", "---\ntitle: T\ncreated: 2021-01-01\nid: " + id + "\n---\nNew.\n", "kept its id; metadata that the new text does not have is gone: mine"},
		{"the id of another", "---\nid: " + other + "\n---\nNew.\n", "---\nid: " + id + "\n---\nNew.\n", "kept its id, not that of the new text; metadata that the new text does not have is gone: created, mine"},
		{"no UUID", "---\nid: 4711\n---\nNew.\n", "---\nid: " + id + "\n---\nNew.\n", "kept its id; metadata that the new text does not have is gone: created, mine"},
		{"line ends of others", "# A new\r\n", "---\r\nid: " + id + "\r\n---\r\n\r\n# A new\r\n", "kept its id; metadata that the new text does not have is gone: created, mine"},
		{"all of it", strings.Replace(page, "Old", "New", 1), strings.Replace(page, "Old", "New", 1), ""},
		{"no place for an id", "---\n{\n---\nNew.\n", "---\n{\n---\nNew.\n", "metadata that the new text does not have is gone: id, created, mine; its id was " + id},
	} {
		t.Run(tc.name, func(t *testing.T) {
			eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
				m.Apply(request(put(s, "a.md", page)))
				one := 1
				res := m.Apply(request(write.Change{Space: s, Path: "a.md", Expected: &one, Action: write.Put{Bytes: []byte(tc.text), KeepID: true}}))
				got := m.Pages(s)["a.md"]
				if text := m.Bytes(got); text != tc.want {
					t.Errorf("the page is %q, not %q", text, tc.want)
				}
				if notes := strings.Join(res.Pages[0].Notes, "; "); notes != tc.notes {
					t.Errorf("notes %q", notes)
				}
				if strings.Contains(tc.want, id) && got.ID != id {
					t.Errorf("its id is %s", got.ID)
				}
			})
		})
	}
}

// counting counts how many documents it reads.
type counting struct {
	doc.Codec
	read *atomic.Int64 // documents are read side by side
}

func (c counting) In(s kb.Syntax) doc.Codec { return counting{c.Codec.In(s), c.read} }

func (c counting) Parse(path string, text []byte) *doc.Document {
	c.read.Add(1)
	return c.Codec.Parse(path, text)
}

// A move that changes many documents reads each a few times, however many they
// are.
func TestMoveReadsDocumentsInLinearTime(t *testing.T) {
	t.Parallel()
	read := func(backlinks int) int64 {
		var n atomic.Int64
		m := writetest.New(t)
		s := m.Space("notes", m.Files(nil))
		m.Apply(request(put(s, "target.md", "# Target\n")))
		for i := range backlinks {
			m.Apply(request(put(s, fmt.Sprintf("p%d.md", i), "See [[target]].\n")))
		}
		for i, c := range m.Writer.Codecs {
			m.Writer.Codecs[i] = counting{c, &n}
		}
		res := m.Apply(request(write.Change{Space: s, Path: "target.md", Action: write.Move{To: "other.md"}}))
		if len(res.Pages) != backlinks+1 {
			t.Fatalf("%d pages changed", len(res.Pages))
		}
		return n.Load()
	}
	few, many := read(10), read(40)
	if few == 0 || many > 5*few {
		t.Errorf("documents read: %d with 10 backlinks, %d with 40", few, many)
	}
}
