package space

import (
	"bytes"
	"context"
	"errors"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// partsKey is the settings key for the version of the acceptance rules. It is
// raised when more parts of a directory need acceptance than before.
const partsKey, parts = "accepted_parts", "1"

// TakeUp keeps the effects of spaces that a person accepted under older rules: the
// present parts of their directories that needed no acceptance then are accepted.
// It does so once; an unavailable directory keeps its accepted policy.
func (r *Registry) TakeUp(ctx context.Context) error {
	var (
		had string
		all []kb.Space
	)
	err := r.DB.View(ctx, func(tx store.Tx) (err error) {
		if had, err = tx.Settings().Get(ctx, partsKey); err != nil || had == parts {
			return err
		}
		all, err = tx.Spaces().All(ctx)
		return err
	})
	if err != nil || had == parts {
		return err
	}
	found := map[int64]heldBefore{}
	for _, s := range all {
		if s.Kind == kb.DirectorySpace && (s.Policy != nil || s.Accepted != nil) {
			if held, err := r.heldBefore(ctx, s); err == nil { // otherwise the directory is unreadable
				found[s.Row] = held
			}
		}
	}
	return r.DB.Update(ctx, func(tx store.Tx) error {
		if had, err := tx.Settings().Get(ctx, partsKey); err != nil || had == parts {
			return err
		}
		now, err := tx.Spaces().All(ctx)
		if err != nil {
			return err
		}
		for _, s := range now {
			held := found[s.Row]
			if held.accepted != nil && bytes.Equal(s.Accepted, held.was) {
				s.Accepted = held.accepted
				if err := tx.Spaces().Update(ctx, s); err != nil {
					return err
				}
			}
			if len(held.templates) > 0 {
				if err := setHashes(ctx, tx, s.ID, kb.TemplatesPart, held.templates); err != nil {
					return err
				}
			}
		}
		return tx.Settings().Set(ctx, partsKey, parts)
	})
}

// heldBefore holds the parts of a space's directory that were in effect under older
// rules.
type heldBefore struct {
	was, accepted []byte // the accepted policy, and its extension by more parts; nil for none
	templates     []found
}

func (r *Registry) heldBefore(ctx context.Context, s kb.Space) (held heldBefore, err error) {
	if held.templates, err = findTemplates(ctx, r, s, nil); err != nil || s.Policy != nil {
		return held, err
	}
	d, err := fsys.OpenDir(s.Root)
	if err != nil {
		return held, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	text, err := policyFile(ctx, r.files(d), s.Root)
	if err != nil || text == nil || bytes.Equal(text, s.Accepted) {
		return held, err
	}
	now, err := policy.Parse(text)
	if err != nil {
		return held, err
	}
	accepted, err := policy.Parse(s.Accepted)
	if err != nil {
		return held, err
	}
	held.was = s.Accepted
	held.accepted, err = policy.TakeUp(accepted, now).Render()
	return held, err
}
