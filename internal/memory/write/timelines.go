package write

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy/lint"
	"github.com/cairn-kb/cairn/internal/store"
)

// checkTimelines refuses changes to or removal of timeline entries in spaces
// that protect them, also by deleting a page and creating it again. It runs
// before links are updated for moves: an entry with the new name of a page has
// the same meaning.
func (s *changeSet) checkTimelines(ctx context.Context) error {
	if s.restores() || s.req.RewriteTimeline && s.req.Actor.Kind == kb.Human {
		return nil
	}
	refused := refusals{changes: len(s.req.Changes)}
	s.gone = map[int64][]*target{}
	for _, t := range s.docs {
		if t.gone || !t.textChanged() {
			continue
		}
		err := s.checkTimelineByAll(ctx, t)
		if err != nil && !refused.add(t.path, err) {
			return err
		}
	}
	return refused.err()
}

// restores reports whether the set restores earlier states of pages.
func (s *changeSet) restores() bool {
	return s.req.Undoes != 0 || isRestore(s.req.Operation)
}

// isRestore reports whether a write of this name restores earlier states.
func isRestore(operation string) bool {
	return slices.Contains([]string{"undo", "redo", "restore"}, operation)
}

// checkTimelineByAll is checkTimeline by every space that holds the document and keeps
// timelines, with the deleted pages of that space and of the document's own.
func (s *changeSet) checkTimelineByAll(ctx context.Context, t *target) error {
	own := t.space.Policy.Timeline.AppendOnly
	if own {
		if err := s.checkTimeline(ctx, t); err != nil {
			return err
		}
	}
	views, err := t.views()
	if err != nil {
		return err
	}
	for _, v := range views {
		if !v.space.Policy.Timeline.AppendOnly || v.gone {
			continue
		}
		err := s.checkTimeline(ctx, v.target)
		if err == nil && !own {
			err = s.checkTimeline(ctx, t)
		}
		if err != nil {
			return v.in.by(v.to, err)
		}
	}
	return nil
}

func (s *changeSet) checkTimeline(ctx context.Context, t *target) error {
	parse := func(path string, text []byte) *doc.Document {
		return doc.ForNote(s.w.Codecs, t.space.Syntax, path).Parse(path, text)
	}
	after := parse(t.to, t.new)
	var before *doc.Document
	if t.exists() {
		before = parse(t.path, t.old)
		if err := lostEntries(before, after); err != nil {
			return err.WithReason(kb.EvidenceKept).WithFact("ref", t.space.Name+":"+link.Slug(t.path))
		}
	}
	return s.checkReplaced(ctx, t, before, after)
}

// checkReplaced refuses a document that takes the path or id of a deleted page without its
// timeline entries.
func (s *changeSet) checkReplaced(ctx context.Context, t *target, before, after *doc.Document) error {
	gained := lint.Declared(after)
	if before != nil {
		for id := range lint.Declared(before) {
			delete(gained, id)
		}
	}
	if !t.arrives() && len(gained) == 0 {
		return nil
	}
	lost := func(path string, text []byte) error {
		err := lostEntries(doc.ForNote(s.w.Codecs, t.space.Syntax, path).Parse(path, text), after)
		if err == nil {
			return nil
		}
		return err.WithReason(kb.EvidenceDeleted).WithFact("ref", t.space.Name+":"+link.Slug(path))
	}
	gone, err := s.goneIn(t.space)
	if err != nil {
		return err
	}
	for _, o := range gone { // deleted by the same set
		if o.space.Row == t.space.Row && (gained[o.row.ID] || link.Slug(o.path) == link.Slug(t.to)) {
			if err := lost(o.path, o.old); err != nil {
				return err
			}
		}
	}
	return s.w.Memory.View(ctx, func(tx store.Tx) error {
		if !t.exists() { // deleted through another space, which this one has not seen yet
			row, err := rowAt(ctx, tx, t.space, t.to)
			if err != nil {
				return err
			}
			if row != nil {
				text, err := tx.History().Bytes(ctx, row.Hash)
				if err != nil {
					return err
				}
				if err := lost(t.to, text); err != nil {
					return err
				}
			}
		}
		deleted, err := s.deletedBefore(ctx, tx, t, gained)
		if err != nil {
			return err
		}
		for _, d := range deleted {
			last, err := lastState(ctx, tx, d)
			if err != nil {
				return err
			}
			if last.Version == 0 {
				continue
			}
			text, err := tx.History().Bytes(ctx, last.Hash)
			if kb.CodeOf(err) == kb.NotFound {
				continue // pruned
			}
			if err != nil {
				return err
			}
			if err := lost(last.Path, text); err != nil {
				return err
			}
		}
		return nil
	})
}

// goneIn returns the documents of a space that the set deletes. They are listed once for a
// check of all documents; see checkTimelines.
func (s *changeSet) goneIn(space *Space) ([]*target, error) {
	if gone, ok := s.gone[space.Row]; ok {
		return gone, nil
	}
	docs, err := s.docsIn(space)
	if err != nil {
		return nil, err
	}
	gone := slices.DeleteFunc(docs, func(t *target) bool { return !t.gone || !t.exists() })
	s.gone[space.Row] = gone
	return gone, nil
}

// namedEntries is how many lost entries an error names.
const namedEntries = 3

// lostEntries is the refusal of a change that drops or alters entries, nil without any.
func lostEntries(before, after *doc.Document) *kb.Error {
	lost := doc.Lost(before, after)
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
	return kb.Errorf(kb.Refused, "%s would lose timeline entries, which the space keeps: %s", before.Path, strings.Join(named, ", ")).
		With("entries", all)
}

// lostEntry names an entry of the page as it is.
type lostEntry struct {
	Date string `json:"date"`
	Line int    `json:"line"`
}

// deletedBefore returns the deletions of pages whose place a document takes: the last one
// at a path with its new slug, and those of ids that it gained. A new page has the id of a
// page without one that was moved away from its path: there it counts what agents delete
// and create, since the schedule moves and deletes pages of past days.
func (s *changeSet) deletedBefore(ctx context.Context, tx store.Tx, t *target, gained map[kb.ID]bool) ([]kb.Version, error) {
	var out []kb.Version
	if t.arrives() {
		var paths []string
		for _, ext := range s.extensions() {
			paths = append(paths, link.Slug(t.to)+ext)
		}
		var err error
		out, _, err = tx.History().Versions(ctx, store.VersionFilter{Spaces: []int64{t.space.Row}, Paths: paths, Deleted: true}, 1, 0)
		if err != nil {
			return nil, err
		}
	}
	add := func(id kb.ID, counts func(kb.Version) bool) error {
		v, err := tx.History().Version(ctx, t.space.Row, id, 0)
		if kb.CodeOf(err) == kb.NotFound {
			return nil
		}
		if err == nil && v.Change == kb.Deleted && counts(v) {
			out = append(out, v)
		}
		return err
	}
	for id := range gained {
		if err := add(id, func(kb.Version) bool { return true }); err != nil {
			return nil, err
		}
	}
	if t.exists() || s.req.Actor.Kind != kb.Agent {
		return out, nil
	}
	return out, add(kb.DerivedID(t.space.ID, t.to, "", 0), func(v kb.Version) bool { return v.Actor.Kind == kb.Agent })
}

// lastState returns the version before a deletion; the zero version where there was none
// but one that an undo took back, as if it had never been written.
func lastState(ctx context.Context, tx store.Tx, deletion kb.Version) (kb.Version, error) {
	for {
		by, err := tx.History().Write(ctx, deletion.Write)
		if err != nil {
			return kb.Version{}, err
		}
		last, err := tx.History().Version(ctx, deletion.Space, deletion.Page, deletion.Version-1)
		if err != nil || by.Operation != "undo" || last.Change != kb.Created {
			return last, err
		}
		made, err := tx.History().Write(ctx, last.Write)
		if err != nil || isRestore(made.Operation) {
			return last, err
		}
		if last.Version == 1 {
			return kb.Version{}, nil
		}
		if deletion, err = tx.History().Version(ctx, last.Space, last.Page, last.Version-1); err != nil || deletion.Change != kb.Deleted {
			return deletion, err
		}
	}
}
