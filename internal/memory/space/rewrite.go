package space

import (
	"bytes"
	"context"
	"errors"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/presets"
)

// RewriteRequest replaces the policy of a space.
type RewriteRequest struct {
	Name    string // of the space; "" for the current one
	Text    []byte
	Was     []byte // the expected present policy; nil for any
	Upgrade bool   // instead of Text: the present policy with the missing keys of its preset
	DryRun  bool
}

// Rewrite replaces the policy of a space, in the file of its directory or in the
// memory, even an unreadable one. A text that is not a policy, or has the id of
// another space, is kb.Invalid; if the present policy is not Was, the error is
// kb.Conflict.
func Rewrite(ctx context.Context, r *Registry, req RewriteRequest) (out api.RewrittenPolicy, err error) {
	if err := PersonOnly(r.Actor, "space edit "+req.Name, "change the policy of a space"); err != nil {
		return out, err
	}
	s, err := toSet(ctx, r, req.Name)
	if err != nil {
		return out, err
	}
	if !req.DryRun {
		unlock, err := r.Lock(ctx, s)
		if err != nil {
			return out, err
		}
		defer func() { err = errors.Join(err, unlock()) }()
	}
	was, old, err := r.Policy(ctx, s, nil)
	if err != nil && (old == nil || req.Upgrade) {
		return out, err
	}
	if req.Was != nil && !bytes.Equal(req.Was, old) {
		return out, kb.Errorf(kb.Conflict, "the policy of %s has changed meanwhile", s.Name)
	}
	if err == nil {
		if err := elsewhere(s, was); err != nil {
			return out, err
		}
	}
	text := req.Text
	if req.Upgrade {
		preset, ok := presets.Text(was.Preset)
		if !ok {
			return out, kb.Errorf(kb.Invalid, "the policy of %s names no preset", s.Name)
		}
		if text, err = policy.Upgrade(old, preset); err != nil {
			return out, err
		}
	}
	if len(text) > maxPolicy {
		return out, kb.Errorf(kb.Invalid, "the policy has %d bytes, and may have %d", len(text), maxPolicy)
	}
	pol, err := policy.Parse(text)
	if err != nil {
		return out, err
	}
	if id, _ := kb.ParseID(pol.ID); s.Policy == nil && id != s.Written() {
		return out, kb.Errorf(kb.Invalid, "the id of a space stays as it is").
			WithHint("Write id = %q.", string(s.Written()))
	}
	changed := !bytes.Equal(text, old)
	if changed {
		out.Diff = string(diff.Diff("a/space.toml", old, "b/space.toml", text))
	}
	if changed && !req.DryRun {
		s.Derivation = 0 // no other check triggers it for a database space
		accept := r.acceptChange
		if !req.Upgrade {
			accept = r.acceptWhole
		}
		if s, pol, err = changePolicy(ctx, r, s, old, text, accept); err != nil {
			return out, err
		}
	}
	out.Space, err = r.shown(ctx, s, pol, text)
	return out, err
}
