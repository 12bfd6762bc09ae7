package contradiction

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/store"
)

// maxNote is the maximum size of a note in bytes: a paragraph or two.
const maxNote = 4 << 10

// Dismiss records why a contradiction does not matter, and returns it. It is not
// counted until one of its sides changes.
func Dismiss(ctx context.Context, sess *memory.Session, id, note string) (out api.Contradiction, err error) {
	note = strings.TrimSpace(strings.ToValidUTF8(note, "\uFFFD"))
	switch {
	case note == "":
		return out, kb.Errorf(kb.Usage, "a dismissal needs a note").WithHint("Say why the contradiction does not matter.")
	case len(note) > maxNote:
		return out, kb.Errorf(kb.Usage, "the note has %d bytes, and may have %d", len(note), maxNote)
	}
	err = sess.DB.Update(ctx, func(tx store.Tx) error {
		p, err := find(ctx, sess, tx, nil, id)
		if err != nil {
			return err
		}
		if err := dismiss(ctx, sess, p, id, note); err != nil {
			return err
		}
		shown, err := show(ctx, sess, []pending{p})
		if err == nil {
			out = shown[0]
		}
		return err
	})
	return out, err
}

// dismiss records why a finding does not matter, in the transaction that found it.
func dismiss(ctx context.Context, sess *memory.Session, p pending, id, note string) error {
	pol, _, err := sess.Spaces.Policy(ctx, p.in.space, nil)
	if err != nil {
		return err
	}
	if s := pol.Secrets; !s.Off {
		opts := secrets.Options{Allow: s.Allow, Rules: s.Rules}
		if err := secrets.Refusal("the note", secrets.Scan([]byte(note), opts)); err != nil {
			return err
		}
	}
	d := kb.Dismissal{Space: p.in.space.Row, ID: id, Note: note, Actor: sess.Actor, Time: sess.Now()}
	if err := p.in.tx.Claims().Dismiss(ctx, d); err != nil {
		return err
	}
	p.in.gone[id] = d
	return nil
}

// DismissBetween dismisses the contradictions between two pages that meant accepts,
// within a transaction that may have changed the pages. An overlong note is cut.
// before is the number of these contradictions that were dismissed already.
func DismissBetween(ctx context.Context, sess *memory.Session, tx store.Tx, a, b kb.Page, note string, meant func(api.Contradiction) bool) (dismissed, before int, err error) {
	note = strings.TrimSpace(strings.ToValidUTF8(note, "\uFFFD"))
	if len(note) > maxNote {
		note = strings.ToValidUTF8(note[:maxNote], "")
	}
	all, err := within(ctx, sess, tx, &a, false, nil)
	if err != nil {
		return 0, 0, err
	}
	for _, f := range all {
		ids, err := f.settle(ctx, f.all)
		if err != nil {
			return 0, 0, err
		}
		for i, x := range f.all {
			shown, err := show(ctx, sess, []pending{{f, x}})
			if err != nil {
				return 0, 0, err
			}
			sides := []string{shown[0].A.Ref, shown[0].B.Ref}
			if !slices.Contains(sides, a.Ref()) || !slices.Contains(sides, b.Ref()) || !meant(shown[0]) {
				continue
			}
			if _, gone := f.gone[ids[i]]; gone {
				before++
				continue
			}
			if err := dismiss(ctx, sess, pending{f, x}, ids[i], note); err != nil {
				return 0, 0, err
			}
			dismissed++
		}
	}
	return dismissed, before, nil
}

// find returns the contradiction with an id, dismissed or not, of a page or, with
// nil, of any page; kb.NotFound.
func find(ctx context.Context, sess *memory.Session, tx store.Tx, page *kb.Page, id string) (pending, error) {
	all, err := within(ctx, sess, tx, page, true, nil)
	if err != nil {
		return pending{}, err
	}
	for _, f := range all {
		ids, err := f.settle(ctx, f.all)
		if err != nil {
			return pending{}, err
		}
		for i, x := range f.all {
			if ids[i] == id {
				return pending{f, x}, nil
			}
		}
	}
	return pending{}, kb.Errorf(kb.NotFound, "no contradiction has the id %q", id).WithHint("It has another one since a side changed, or is settled. List them again.")
}

// kinds returns the names of all kinds.
func kinds() (out []string) {
	for _, k := range lifecycle.Kinds() {
		out = append(out, string(k))
	}
	return out
}
