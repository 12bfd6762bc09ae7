package change

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"

	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// Request applies the same steps to each of several pages.
type Request struct {
	Refs     []string      // pages; moves and deletions accept directories, too
	Where    *store.Filter // instead of Refs: the matching pages of the current space
	Below    []string      // the paths of Where, in the form of the request
	Steps    []Step
	Expected *int // version of a single page
}

// Step is one operation on a page.
type Step interface{ step() }

// Steps.
type (
	// EditStep changes spans.
	EditStep struct{ Edit doc.Edit }
	// MoveStep moves the page to another path. To is a slug or path; for several
	// pages it is a directory, ending in "/", in which each keeps its name, or its
	// path below the directory in Where.
	MoveStep struct {
		To        string
		KeepLinks bool
	}
	// DeleteStep removes the page.
	DeleteStep struct{}
	// RestoreStep restores a version, as Restore does; it must be the only step.
	RestoreStep struct{ Version int }
	// RelateStep adds a relation to another page.
	RelateStep struct{ Type, To string }
	// UnrelateStep removes the relations of a type, "" being any, to another page.
	UnrelateStep struct{ Type, To string }
)

func (EditStep) step()     {}
func (MoveStep) step()     {}
func (DeleteStep) step()   {}
func (RestoreStep) step()  {}
func (RelateStep) step()   {}
func (UnrelateStep) step() {}

// Plan returns the changes of a request: one change set for all pages.
func Plan(ctx context.Context, sess *memory.Session, req Request) ([]write.Change, error) {
	if len(req.Steps) == 0 {
		return nil, kb.Errorf(kb.Usage, "there is nothing to edit").WithReason(kb.NothingToEdit)
	}
	found, err := selected(ctx, sess, req)
	if err != nil {
		return nil, err
	}
	if req.Expected != nil && len(found) != 1 {
		return nil, kb.Errorf(kb.Usage, "a version is expected of one page, and these are %d", len(found))
	}
	if err := mayTake(ctx, sess, found, req); err != nil {
		return nil, err
	}
	var (
		changes []write.Change
		missed  error // a relation to remove that a page does not have
	)
	for _, p := range found {
		if req.Where == nil {
			if err := hasTags(p.Page, req.Steps); err != nil {
				return nil, err
			}
		}
		more, none, err := stepsOf(ctx, sess, p, req)
		if err != nil {
			return nil, err
		}
		if none != nil {
			missed = none
		}
		changes = append(changes, more...)
	}
	if missed != nil && (len(found) == 1 || len(changes) == 0) {
		return nil, missed
	}
	return changes, nil
}

// hasTags fails if a requested page has no tag to rename, after the preceding steps
// changed its tags.
func hasTags(p kb.Page, steps []Step) error {
	tags := slices.Clone(p.Tags)
	for _, s := range steps {
		e, _ := s.(EditStep)
		switch edit := e.Edit.(type) {
		case doc.AddTag:
			tags = append(tags, doc.NormalizeTag(edit.Tag))
		case doc.RenameTag:
			if !slices.ContainsFunc(tags, edit.Has) {
				return kb.Errorf(kb.NotFound, "%s has no tag %q", p.Ref(), edit.Old)
			}
			for i, t := range tags {
				tags[i] = edit.Renamed(t)
			}
		}
	}
	return nil
}

// Verb returns the operation for the history.
func Verb(steps []Step) string {
	names := make([]string, len(steps))
	for i, s := range steps {
		switch s := s.(type) {
		case MoveStep:
			names[i] = "mv"
		case DeleteStep:
			names[i] = "rm"
		case RelateStep:
			names[i] = "link"
		case UnrelateStep:
			names[i] = "unlink"
		case EditStep:
			switch s.Edit.(type) {
			case doc.AddTag:
				names[i] = "tag"
			case doc.RemoveTag:
				names[i] = "untag"
			case doc.RenameTag:
				names[i] = "rename-tag"
			}
		}
	}
	if !slices.ContainsFunc(names, func(n string) bool { return n != "tag" && n != "untag" }) && slices.Contains(names, "tag") {
		return "tag"
	}
	if slices.Sort(names); names[0] != names[len(names)-1] || names[0] == "" {
		return "edit"
	}
	return names[0]
}

// stepsOf returns the changes of one page. missed reports that a relation to remove
// does not exist.
func stepsOf(ctx context.Context, sess *memory.Session, p chosen, req Request) (changes []write.Change, missed, err error) {
	var (
		edits []doc.Edit
		at    = p.Path
		dir   = p.dir
	)
	if req.Where != nil {
		dir = "" // only some of its pages are selected
	}
	if p.part != "" && slices.ContainsFunc(req.Steps, func(s Step) bool { _, edits := s.(EditStep); return !edits }) {
		return nil, nil, wholePage(p.Page, p.part)
	}
	do := func(action write.Action) {
		changes = append(changes, write.Change{Space: p.space, Path: at, Of: write.OfPage(p.Page), Size: p.Size, Dir: dir, Expected: req.Expected, Action: action})
	}
	flush := func() {
		if len(edits) > 0 {
			do(write.Edit{Node: p.Node, Edits: edits})
		}
		edits = nil
	}
	for _, s := range req.Steps {
		switch s := s.(type) {
		case EditStep:
			edit, err := doc.Within(p.part, s.Edit)
			if err != nil {
				return nil, nil, err
			}
			edits = append(edits, edit)
		case RelateStep:
			line, err := relation(ctx, sess, p.Page, s)
			if err != nil {
				return nil, nil, err
			}
			edits = append(edits, line)
		case UnrelateStep:
			target, err := Written(ctx, sess, p.name(), s.Type, s.To)
			if kb.CodeOf(err) == kb.NotFound {
				missed = err
				continue
			}
			if err != nil {
				return nil, nil, err
			}
			edits = append(edits, doc.RemoveRelation{Type: s.Type, Target: target})
		case MoveStep:
			flush()
			to, err := destination(ctx, sess, p, s, req)
			if err != nil {
				return nil, nil, err
			}
			do(write.Move{To: to, KeepLinks: s.KeepLinks})
			at = to
		case DeleteStep:
			flush()
			do(write.Delete{})
		case RestoreStep:
			return nil, nil, kb.Errorf(kb.Usage, "restore must be the only step, with the pages named")
		}
	}
	flush()
	return changes, missed, nil
}

// relation returns the line for a relation between two pages.
func relation(ctx context.Context, sess *memory.Session, from kb.Page, s RelateStep) (line doc.AddRelation, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		to, err := sess.Refs.Resolve(ctx, tx, s.To)
		if err != nil {
			return err
		}
		line.Type = s.Type
		line.Target, err = TargetAs(ctx, sess, tx, from, to, s.To)
		return err
	})
	return line, err
}
