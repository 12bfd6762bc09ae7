package space

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// scanKey is the prefix of settings that record a person's consent to a policy
// that disables the secret scan; the id of the space follows.
const scanKey = "secret_scan."

// scanOn is the value for: the scan runs all the same, with every rule.
const scanOn = "on"

// lenient reports whether a policy lets credentials pass, all or those of some rules.
func lenient(pol *policy.Policy) bool { return pol.Secrets.Off || len(pol.Secrets.Allow) > 0 }

// scanOff returns a warning when the policy of a directory, such as a cloned
// one, disables the secret scan.
func scanOff(root string, pol *policy.Policy) []string {
	from := filepath.Join(root, policy.FileName)
	switch {
	case pol.Secrets.Off:
		return []string{from + " switches the secret scan off: credentials will be written into this space"}
	case lenient(pol):
		return []string{from + " lets credentials of these rules be written into this space: " + strings.Join(pol.Secrets.Allow, ", ")}
	}
	return nil
}

// keeper returns what remembers whether the scan runs in a space all the same;
// nil where the policy leaves it on.
func (r *Registry) keeper(s kb.Space, pol *policy.Policy) func(context.Context, bool) error {
	if !lenient(pol) {
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
	if !lenient(pol) || s.Policy != nil {
		return nil
	}
	return r.DB.View(ctx, func(tx store.Tx) error {
		for _, id := range []kb.ID{s.ID, s.Written()} {
			value, err := tx.Settings().Get(ctx, scanKey+string(id))
			if err != nil {
				return err
			}
			if value == scanOn {
				pol.Secrets.Off, pol.Secrets.Allow = false, nil
			}
		}
		return nil
	})
}
