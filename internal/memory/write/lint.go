package write

import (
	"context"
	"maps"
	"slices"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lint"
	"github.com/cairn-kb/cairn/internal/store"
)

// checkLint refuses a change set that adds a fatal fault to a space that
// enforces its lint. Existing faults do not block it.
func checkLint(ctx context.Context, s *changeSet) error {
	var found []lint.Finding
	for _, space := range s.spaces() {
		if !space.Policy.Lint.Enforce {
			continue
		}
		more, err := (&linter{w: s.w, docs: s.docs, space: space, migrates: s.req.Operation == Migrates}).broken(ctx)
		if err != nil {
			return err
		}
		found = append(found, more...)
	}
	err := lint.Refusal(lint.Fatals(found))
	for _, space := range s.spaces() {
		err = heldRules(err, space)
	}
	if err != nil {
		return err
	}
	return checkLintAround(ctx, s)
}

// heldRules adds to a refusal that the accepted rules of lint stay in force while a change of
// them waits.
func heldRules(err error, s *Space) error {
	if err == nil {
		return nil
	}
	waits := func(p kb.PolicyPart) bool { return p.Name == "lint" }
	if e := kb.AsError(err); s.Policy.Lint.Enforce && slices.ContainsFunc(s.Policy.Waiting, waits) {
		return e.WithHint("%s The part lint of space.toml was changed, and the accepted rules hold until a person accepts that.", e.Hint).
			WithReason(kb.PolicyWaits).WithFact("root", s.Root)
	}
	return err
}

// checkLintAround is checkLint by the rules of the other spaces that hold the documents.
func checkLintAround(ctx context.Context, s *changeSet) error {
	docs, in := map[int64][]*target{}, map[int64]Around{}
	for _, t := range s.docs {
		if len(t.space.Around) == 0 || !t.textChanged() {
			continue
		}
		views, err := t.views()
		if err != nil {
			return err
		}
		for _, v := range views {
			if v.space.Policy.Lint.Enforce {
				docs[v.space.Row], in[v.space.Row] = append(docs[v.space.Row], v.target), v.in
			}
		}
	}
	for _, row := range slices.Sorted(maps.Keys(docs)) {
		found, err := (&linter{w: s.w, docs: docs[row], space: in[row].Space, migrates: s.req.Operation == Migrates}).broken(ctx)
		if err == nil {
			err = heldRules(lint.Refusal(lint.Fatals(found)), in[row].Space)
		}
		if err != nil {
			return in[row].by(docs[row][0].to, err)
		}
	}
	return nil
}

// linter finds the faults that a change set adds to one space.
type linter struct {
	w     *Writer
	docs  []*target
	space *Space

	migrates bool // texts were made before the rules of their new places

	derived []*index.Derived   // documents after the set
	left    []string           // paths that the set changes, as they were
	held    map[kb.ID]string   // ids that these documents had, with their paths
	holds   map[kb.ID]bool     // ids that exist after it
	gained  map[kb.ID][]string // paths of those that did not have the id before
}

// broken returns the faults that the set adds.
func (s *linter) broken(ctx context.Context) ([]lint.Finding, error) {
	var found []lint.Finding
	s.held, s.holds = map[kb.ID]string{}, map[kb.ID]bool{}
	s.gained = map[kb.ID][]string{}
	for _, t := range s.docs {
		if t.space.Row != s.space.Row || !t.textChanged() {
			continue
		}
		codec := doc.ForNote(s.w.Codecs, s.space.Syntax, t.to)
		var (
			before []lint.Finding
			had    map[kb.ID]bool
		)
		if t.exists() {
			old := codec.Parse(t.path, t.old)
			had = lint.Declared(old)
			if s.migrates {
				old = codec.Parse(t.to, t.old)
			}
			before = lint.WithSources(old, s.space.Policy, s.space.Has)
			for id := range had {
				s.held[id] = t.path
			}
			s.left = append(s.left, t.path)
		}
		if t.gone {
			continue
		}
		if !t.returns() {
			for _, f := range lint.New(before, lint.WithSources(codec.Parse(t.to, t.new), s.space.Policy, s.space.Has)) {
				if f.Rule != policy.LintSecret { // checkSecrets knows which ones the writer has accepted
					found = append(found, f)
				}
			}
		}
		d := s.w.Derive(s.space, t.to, Found{Bytes: t.new, ModTime: s.w.Now()})
		s.derived = append(s.derived, d)
		for id := range lint.Declared(d.Document) {
			s.holds[id] = true
			if !had[id] {
				s.gained[id] = append(s.gained[id], t.to)
			}
		}
	}
	if len(s.derived) == 0 && len(s.held) == 0 {
		return nil, nil
	}
	err := s.w.Memory.View(ctx, func(tx store.Tx) error {
		if err := s.lookElsewhere(ctx, tx); err != nil {
			return err
		}
		more, err := s.repeated(ctx, tx)
		if err != nil {
			return err
		}
		dead, err := s.dead(ctx, tx)
		if err != nil {
			return err
		}
		orphaned, err := s.orphaned(ctx, tx)
		found = slices.Concat(found, more, dead, orphaned)
		return err
	})
	return found, err
}

// lookElsewhere notes which ids that documents of the set had are in others, too.
func (s *linter) lookElsewhere(ctx context.Context, tx store.Tx) error {
	declared, err := tx.Pages().Declared(ctx, s.space.Row, slices.Sorted(maps.Keys(s.held)))
	for _, d := range declared {
		if !slices.Contains(s.left, d.Page.Path) {
			s.holds[d.Declared] = true
		}
	}
	return err
}

// repeated are the ids that the set writes into a second place.
func (s *linter) repeated(ctx context.Context, tx store.Tx) (out []lint.Finding, err error) {
	shared, err := index.SharedWith(ctx, tx, s.space.Row, s.derived, s.left)
	if err != nil {
		return nil, err
	}
	for _, x := range shared {
		if paths := s.gained[x.ID]; len(paths) > 0 { // otherwise it existed twice before
			out = append(out, lint.Repeated(s.space.Policy, paths[0], x.ID, append([]string{x.Has}, x.Others...))...)
		}
	}
	return out, nil
}

// dead are the links of the set to ids that no page has.
func (s *linter) dead(ctx context.Context, tx store.Tx) (out []lint.Finding, err error) {
	records := make([]*store.Document, len(s.derived))
	for i, d := range s.derived {
		records[i] = &d.Record
	}
	if err := index.Lead(ctx, tx, s.space.Space, records); err != nil {
		return nil, err
	}
	old := map[string]map[string]bool{} // ids that a document linked to before, by path after
	for _, t := range s.docs {
		if t.space.Row == s.space.Row && t.exists() && !t.gone {
			old[t.to] = idLinks(doc.ForNote(s.w.Codecs, s.space.Syntax, t.path).Parse(t.path, t.old))
		}
	}
	for _, rec := range records {
		for _, p := range rec.Pages {
			for _, l := range p.Links {
				id, ok := lint.LinkedID(l)
				gone := s.held[kb.ID(id)] != "" && !s.holds[kb.ID(id)]
				if !ok || s.holds[kb.ID(id)] || !gone && (l.To != 0 || l.Candidates > 0 || old[rec.Path][id]) {
					continue
				}
				out = append(out, lint.Dead(s.space.Policy, rec.Path, l.Line, id)...)
			}
		}
	}
	return out, nil
}

// idLinks are the ids that a document links to.
func idLinks(d *doc.Document) map[string]bool {
	out := map[string]bool{}
	for i := range d.Nodes {
		for _, l := range index.Relations(&d.Nodes[i], doc.NewLines(d.Text)) {
			if id, ok := lint.LinkedID(l); ok {
				out[id] = true
			}
		}
		for _, l := range d.Nodes[i].Links {
			if id, ok := lint.LinkedID(kb.Link{Kind: string(l.Kind), Name: l.Name}); ok {
				out[id] = true
			}
		}
	}
	return out
}

// orphaned are the ids that no page has after the set, and to which others link.
func (s *linter) orphaned(ctx context.Context, tx store.Tx) (out []lint.Finding, err error) {
	for id, path := range s.held {
		if s.holds[id] {
			continue
		}
		pages, err := tx.Pages().ByID(ctx, id)
		if err != nil {
			return nil, err
		}
		var linking []string
		for _, p := range pages {
			if p.SpaceID != s.space.ID {
				continue
			}
			ends, err := tx.Links().To(ctx, p.Row)
			if err != nil {
				return nil, err
			}
			for _, e := range ends {
				to, ok := lint.LinkedID(e.Link)
				if ok && to == string(id) && !slices.Contains(s.left, e.Page.Path) && !slices.Contains(linking, e.Page.Path) {
					linking = append(linking, e.Page.Path)
				}
			}
		}
		if len(linking) > 0 {
			out = append(out, lint.Orphaned(s.space.Policy, path, string(id), linking)...)
		}
	}
	return out, nil
}
