package curate

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// The verbs, which are also the operations of writes in the history.
const (
	Merge     api.CurationVerb = "merge"     // the text of the first page becomes a part of the second
	Split     api.CurationVerb = "split"     // a section of the page becomes a page
	Supersede api.CurationVerb = "supersede" // the second page replaces the first
	Stamp     api.CurationVerb = "stamp"     // the pages were reviewed
)

// Verbs lists all verbs.
func Verbs() []api.CurationVerb { return []api.CurationVerb{Merge, Split, Supersede, Stamp} }

// Decide carries out a person's decision, in one write.
func Decide(ctx context.Context, sess *memory.Session, d api.CurationDecision) (api.Written, error) {
	if sess.Actor.Kind != kb.Human {
		return api.Written{}, kb.Errorf(kb.Refused, "only a person decides what becomes of pages").
			WithHint("Nothing was changed. Propose it to the user, with the reason.")
	}
	switch {
	case !slices.Contains(Verbs(), d.Do):
		return api.Written{}, kb.Errorf(kb.Usage, "%q is nothing that is done with pages", d.Do).WithHint("That is merge, split, supersede or stamp.")
	case d.Do == Stamp && len(d.Refs) == 0:
		return api.Written{}, kb.Errorf(kb.Usage, "name the pages that were looked at")
	case d.Do == Split && (len(d.Refs) != 1 || d.Section == ""):
		return api.Written{}, kb.Errorf(kb.Usage, "split takes one page and one of its sections")
	case d.Pointers != "" && d.Do != Merge && d.Do != Supersede:
		return api.Written{}, kb.Errorf(kb.Usage, "pointers follow a merge or a replacement only")
	case (d.Do == Merge || d.Do == Supersede) && len(d.Refs) != 2:
		return api.Written{}, kb.Errorf(kb.Usage, "%s takes two pages", d.Do)
	}
	pages, err := find(ctx, sess, d)
	if err != nil {
		return api.Written{}, err
	}
	if d.Expected != nil {
		if len(pages) > 1 && d.Do == Stamp {
			return api.Written{}, kb.Errorf(kb.Usage, "a version is expected of one page, and these are %d", len(pages))
		}
		pages[0].Version = *d.Expected // checked by the write
	}
	var (
		changes []write.Change
		left    []api.Skipped // pages with links that stay
	)
	switch d.Do {
	case Merge:
		changes, left, err = merge(ctx, sess, pages[0], pages[1], d.Pointers != "")
	case Split:
		changes, err = split(ctx, sess, pages[0], d)
	case Supersede:
		changes, left, err = supersede(ctx, sess, pages[0], pages[1], d.Reason)
	default:
		changes, err = stamp(sess, pages)
	}
	if err != nil {
		return api.Written{}, err
	}
	if d.Seen != nil {
		for _, c := range changes {
			if v, shown := d.Seen[c.Space.Name+":"+c.Path]; c.Expected != nil && (!shown || v != *c.Expected) {
				return api.Written{}, kb.Errorf(kb.Conflict, "%s changed since you were shown what would become of it", c.Path).
					WithHint("Nothing was changed. Look at it again.")
			}
		}
	}
	var pointers []string
	if d.Pointers != "" {
		if pointers, err = findPointers(ctx, sess, d.Pointers, pages[0], pages[1], true); err != nil {
			return api.Written{}, err
		}
	}
	out := api.Written{DryRun: d.DryRun, Pages: []api.WrittenPage{}}
	// Timeline entries are moved with the page, or repointed to the other one: none
	// is lost.
	d.RewriteTimeline = d.RewriteTimeline || d.Do == Merge || d.Do == Supersede
	if len(changes) > 0 {
		if out, err = change.Apply(ctx, sess, string(d.Do), d.WriteOptions, changes); err != nil {
			return out, err
		}
	}
	out.Skipped = left
	if out.Pointers = pointers; len(pointers) > 0 && !d.DryRun {
		if out.Pointers, err = findPointers(ctx, sess, d.Pointers, pages[0], pages[1], false); err != nil && out.Write > 0 {
			err = kb.Errorf(kb.CodeOf(err), "the change is made, as write %d, but not all pointers lead to it: %w", out.Write, err).
				WithHint("Nothing was lost: the old id is still found. The same command again does the rest.")
		}
	}
	return out, err
}

// subject is a page of a decision, with its text.
type subject struct {
	kb.Page
	space *write.Space
	codec doc.Codec
	doc   *doc.Document
}

// find finds the pages of a decision.
func find(ctx context.Context, sess *memory.Session, d api.CurationDecision) ([]subject, error) {
	var out []subject
	for _, ref := range d.Refs {
		named, space, err := change.Writable(ctx, sess, ref)
		if err != nil {
			return nil, err
		}
		s := subject{Page: named.Page, space: space}
		if slices.ContainsFunc(out, func(o subject) bool { return o.Row == s.Row }) {
			return nil, kb.Errorf(kb.Usage, "%s is named twice", s.Ref())
		}
		if named.Part != "" || s.Node != "" {
			return nil, kb.Errorf(kb.Usage, "%q is a part of a page", ref).WithHint("Nothing was changed. Name the page: %s", s.Space+":"+s.Path)
		}
		err = sess.DB.View(ctx, func(tx store.Tx) error {
			text, err := tx.History().Bytes(ctx, s.Hash)
			if err == nil {
				s.codec = doc.ForNote(sess.Codecs, s.Syntax, s.Path)
				s.doc = s.codec.Parse(s.Path, text)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// edit returns a change of the page that expects its present version.
func (s *subject) edit(edits ...doc.Edit) write.Change {
	return write.Change{Space: s.space, Path: s.Path, Of: s.ID, Expected: new(s.Version), Action: write.Edit{Edits: edits}}
}

// lookedAt returns the edit that marks a page as reviewed today.
func lookedAt(sess *memory.Session, p *policy.Policy) doc.Edit {
	return doc.SetProperty{Key: keyCurated, Value: scan(sess, p).today}
}

func stamp(sess *memory.Session, pages []subject) (out []write.Change, err error) {
	for i := range pages {
		out = append(out, pages[i].edit(lookedAt(sess, pages[i].space.Policy)))
	}
	return out, nil
}

// supersede makes one page replace another: both record it, and links follow. If
// the relation makes pages stale, the replaced page becomes stale.
func supersede(ctx context.Context, sess *memory.Session, old, by subject, reason string) ([]write.Change, []api.Skipped, error) {
	if old.SpaceID != by.SpaceID {
		return nil, nil, kb.Errorf(kb.Usage, "%s and %s are in two spaces", old.Ref(), by.Ref()).WithHint("Nothing was changed. A page takes the place of one of its own space.")
	}
	follow, left, err := followLinks(ctx, sess, old, by, false, false)
	if err != nil {
		return nil, nil, err
	}
	gone := []doc.Edit{lookedAt(sess, old.space.Policy)}
	if life := old.space.Policy.Lifecycle; !life.Relations(policy.MakesStale)[kb.NameKey(supersedes)] && old.Status != kb.Superseded {
		if err := life.MayBecome(old.Status, kb.Superseded); err != nil {
			return nil, nil, err
		}
		gone = append(gone, doc.SetProperty{Key: "status", Value: string(kb.Superseded)})
	}
	holds := []doc.Edit{lookedAt(sess, by.space.Policy)}
	if decided, err := endsContest(ctx, sess, by, old); err != nil {
		return nil, nil, err
	} else if decided {
		holds = append(holds, doc.SetProperty{Key: "status", Value: by.space.Policy.StatusWord(kb.Active)})
	}
	line, err := relation(ctx, sess, by, old, supersedes, reason)
	if err != nil {
		return nil, nil, err
	}
	if line != nil {
		holds = append(holds, *line)
	}
	return append(follow, old.edit(gone...), by.edit(holds...)), left, nil
}

// endsContest reports whether a contested page becomes current again when it
// replaces another: no other page that contradicts it is contested.
func endsContest(ctx context.Context, sess *memory.Session, by, old subject) (ends bool, err error) {
	if by.Status != kb.Contested || old.Status != kb.Contested {
		return false, nil
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		links, err := tx.Links().From(ctx, by.Row)
		if err != nil {
			return err
		}
		var others []int64
		for _, l := range links {
			if kb.NameKey(l.Type) == contradicts && l.ValidUntil == "" && l.To != 0 && l.To != old.Row {
				others = append(others, l.To)
			}
		}
		pages, err := store.PagesByRow(ctx, tx, others)
		ends = true
		for _, p := range pages {
			ends = ends && p.Status != kb.Contested
		}
		return err
	})
	return ends, err
}

// contradicts is the relation between contested pages.
const contradicts = "contradicts"

// supersedes is the relation from a page to the one that it replaces.
const supersedes = "supersedes"

// relation returns the edit that adds a relation to another page, nil if it exists
// already.
func relation(ctx context.Context, sess *memory.Session, from, to subject, kind, reason string) (edit *doc.AddRelation, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		links, err := tx.Links().From(ctx, from.Row)
		if err != nil || slices.ContainsFunc(links, func(l store.LinkEnd) bool {
			return l.To == to.Row && kb.NameKey(l.Type) == kb.NameKey(kind) && l.ValidUntil == ""
		}) {
			return err
		}
		target, err := change.Target(ctx, sess, tx, from.Page, to.Page)
		edit = &doc.AddRelation{Type: kind, Target: target, Context: reason}
		return err
	})
	return edit, err
}

// followLinks returns the changes that repoint links from one page to another. They
// come first in a change set, since the positions of links are those in the
// unchanged documents. It also returns the pages that cannot be changed.
func followLinks(ctx context.Context, sess *memory.Session, from, to subject, parts, own bool) (out []write.Change, left []api.Skipped, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		led, err := change.RepointLinks(ctx, sess, tx, change.Repoint{
			Pages: []kb.Page{from.Page}, Parts: parts, Own: own, Acts: change.Acting(from.space.Policy.Lifecycle, MergedInto),
			To: change.Destination{Space: to.space, Path: to.Path, ID: to.ID, Page: to.Page},
		})
		out = led.Changes
		for _, ref := range led.Left {
			left = append(left, api.Skipped{Path: ref, Reason: "its links stay: it cannot be changed here"})
		}
		return err
	})
	return out, left, err
}
