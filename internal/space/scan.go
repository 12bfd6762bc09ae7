package space

import (
	"context"
	"path/filepath"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// scanKey begins the settings that hold what a person said of a policy which
// switches the secret scan off; the id of the space follows.
const scanKey = "secret_scan."

// scanOn is the value for: the scan runs all the same.
const scanOn = "on"

// scanOff says that the policy which a directory brings, as one that was
// cloned does, lets every credential pass.
func scanOff(root string, pol *policy.Policy) []string {
	if !pol.Secrets.Off {
		return nil
	}
	return []string{filepath.Join(root, policy.FileName) + " switches the secret scan off: credentials will be written into this space"}
}

// keeper returns what remembers whether the scan runs in a space all the same;
// nil where the policy leaves it on.
func (r *Registry) keeper(s kb.Space, pol *policy.Policy) func(context.Context, bool) error {
	if !pol.Secrets.Off {
		return nil
	}
	return func(ctx context.Context, keep bool) error {
		value := ""
		if keep {
			value = scanOn
		}
		return r.DB.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, scanKey+string(s.ID), value) })
	}
}

// keptScan switches the scan of a policy on that a person wants in this space,
// or in the first place of this directory.
func (r *Registry) keptScan(ctx context.Context, s kb.Space, pol *policy.Policy) error {
	if !pol.Secrets.Off || s.Policy != nil {
		return nil
	}
	return r.DB.View(ctx, func(tx store.Tx) error {
		for _, id := range []kb.ID{s.ID, s.Written()} {
			value, err := tx.Settings().Get(ctx, scanKey+string(id))
			if err != nil {
				return err
			}
			pol.Secrets.Off = pol.Secrets.Off && value != scanOn
		}
		return nil
	})
}
