package space

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// asAccepted returns the parts of a directory's policy that may take effect: those
// that a person accepted, over the user's own defaults.
func asAccepted(p *policy.Policy, s kb.Space, defaults []byte) (*policy.Policy, error) {
	own := &policy.Policy{}
	if len(defaults) > 0 {
		var err error
		if own, err = policy.Parse(defaults); err != nil {
			return nil, err
		}
	}
	if s.Accepted == nil {
		return p.Within(nil, own), nil
	}
	accepted, err := policy.ParseOver(defaults, s.Accepted)
	if err != nil {
		return nil, kb.Errorf(kb.Damaged, "the accepted policy of %s cannot be read: %w", s.Name, err).
			WithHint("Nothing was changed. A person may accept the present policy.")
	}
	return p.Within(accepted, own), nil
}

// Unaccepted lists the parts of a directory's policy without effect, and how a
// person accepts them, in one line; "" for none.
func Unaccepted(s kb.Space, pol *policy.Policy) string {
	if pol == nil || len(pol.Waiting) == 0 {
		return ""
	}
	var parts []string
	for _, part := range pol.Waiting {
		parts = append(parts, part.Does)
	}
	return fmt.Sprintf("the policy of %s came with its directory; until a person accepts it (cairn space add %s --accept) it does not %s",
		s.Name, safetext.Word(s.Root), strings.Join(parts, "; "))
}

// Accept records that a person accepts the policy of a space's directory with the
// content text. The error is kb.Conflict if the directory has another policy by
// now.
func (r *Registry) Accept(ctx context.Context, name string, text []byte) (err error) {
	s, err := r.ByName(ctx, name)
	if err != nil {
		return err
	}
	if err := PersonOnly(r.Actor, "space add "+safetext.Word(s.Root)+" --accept", "accept the policy of a directory"); err != nil {
		return err
	}
	unlock, err := r.Lock(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	now, err := r.policyOf(ctx, s.Root)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, text) {
		return kb.Errorf(kb.Conflict, "the policy of %s has changed meanwhile", s.Name).WithHint("Nothing was accepted. Look at it and accept it again.")
	}
	if err := r.acceptBeside(ctx, s); err != nil {
		return err
	}
	pol, err := policy.Parse(text)
	if err != nil {
		return err
	}
	if err := AddLines(ctx, r, s.Root, vault.IgnoreFile, pol.Outside()); err != nil {
		return err
	}
	return r.accept(ctx, s, text)
}

// accept stores the accepted policy for the directory of a space. A policy in the
// memory needs no acceptance.
func (r *Registry) accept(ctx context.Context, s kb.Space, text []byte) error {
	if s.Policy != nil {
		return nil
	}
	return r.DB.Update(ctx, func(tx store.Tx) error {
		all, err := tx.Spaces().All(ctx)
		if err != nil {
			return err
		}
		for _, now := range all {
			if now.Row == s.Row {
				now.Accepted = text
				return tx.Spaces().Update(ctx, now)
			}
		}
		return NoSuch(s.Name, all)
	})
}

// acceptWhole accepts a policy that a person wrote to replace another.
func (r *Registry) acceptWhole(ctx context.Context, s kb.Space, _, text []byte) error {
	return r.accept(ctx, s, text)
}

// acceptChange accepts a person's change of a directory's policy through cairn.
func (r *Registry) acceptChange(ctx context.Context, s kb.Space, old, text []byte) error {
	if bytes.Equal(s.Accepted, old) {
		return r.accept(ctx, s, text)
	}
	before, err := policy.Parse(old)
	if err != nil {
		return r.accept(ctx, s, text) // it was unreadable: the person wrote all of it
	}
	after, err := policy.Parse(text)
	if err != nil {
		return err
	}
	var accepted *policy.Policy
	if s.Accepted != nil {
		if accepted, err = policy.Parse(s.Accepted); err != nil {
			return err
		}
	}
	rendered, err := policy.AcceptChange(accepted, before, after).Render()
	if err != nil {
		return err
	}
	return r.accept(ctx, s, rendered)
}
