package write

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
)

// checkTimelines refuses changes to or removal of timeline entries in spaces
// that protect them. It runs before links are updated for moves: an entry with
// the new name of a page has the same meaning.
func (s *changeSet) checkTimelines() error {
	if s.restores() || s.req.RewriteTimeline && s.req.Actor.Kind == kb.Human {
		return nil
	}
	refused := refusals{changes: len(s.req.Changes)}
	for _, t := range s.docs {
		if !t.space.Policy.Timeline.AppendOnly || !t.exists() || t.gone || !t.textChanged() {
			continue
		}
		if err := s.checkTimeline(t); err != nil && !refused.add(t.path, err) {
			return err
		}
	}
	return refused.err()
}

// restores reports whether the set restores earlier states of pages.
func (s *changeSet) restores() bool {
	return s.req.Undoes != 0 || slices.Contains([]string{"undo", "redo", "restore"}, s.req.Operation)
}

// namedEntries is how many lost entries an error names.
const namedEntries = 3

func (s *changeSet) checkTimeline(t *target) error {
	before := doc.ForNote(s.w.Codecs, t.space.Syntax, t.path).Parse(t.path, t.old)
	lost := doc.Lost(before, doc.ForNote(s.w.Codecs, t.space.Syntax, t.to).Parse(t.to, t.new))
	if len(lost) == 0 {
		return nil
	}
	lines := doc.NewLines(before.Text)
	all := make([]lostEntry, len(lost))
	var named []string
	for i, e := range lost {
		all[i] = lostEntry{e.Date, lines.At(e.Span.Start)}
		if i < namedEntries {
			named = append(named, fmt.Sprintf("%s (line %d)", e.Date, all[i].Line))
		}
	}
	if len(lost) > namedEntries {
		named = append(named, fmt.Sprintf("and %d more", len(lost)-namedEntries))
	}
	return kb.Errorf(kb.Refused, "%s would lose timeline entries, which the space keeps: %s", t.path, strings.Join(named, ", ")).
		WithReason(kb.EvidenceKept).WithFact("ref", t.space.Name+":"+link.Slug(t.path)).With("entries", all)
}

// lostEntry names an entry of the page as it is.
type lostEntry struct {
	Date string `json:"date"`
	Line int    `json:"line"`
}
