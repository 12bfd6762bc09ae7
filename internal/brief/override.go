package brief

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

// PrimeOverride returns the text of the file named by CAIRN_PRIME, which the user
// wrote to replace Prime's text. found is false when the variable is not set. The
// text is cut at the budget, 0 being 800 tokens; credentials are masked, and a
// blank file is an empty text.
func PrimeOverride(ctx context.Context, o space.Place, budget int) (p api.Prime, found bool, err error) {
	name := o.Env("CAIRN_PRIME")
	if name == "" {
		return p, false, nil
	}
	name = o.Absolute(name)
	d, err := fsys.OpenDir(filepath.Dir(name))
	if err != nil {
		return p, false, fsys.Explain(err, "read %s", name)
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	text, _, err := fsys.ReadFile(ctx, d, filepath.Base(name), policy.MaxPrimeFile)
	if err != nil {
		return p, false, fsys.Explain(err, "read %s", name)
	}
	return override(o, name, text, budget, nil), true, nil
}

// PrimeOfDirectory is PrimeOverride for .cairn/PRIME.md in the working directory.
// Such a file may have come with the directory, so found is also false unless a
// person accepted its present text. waits reports that it is not accepted.
func PrimeOfDirectory(ctx context.Context, sess *memory.Session, budget int) (p api.Prime, found, waits bool, err error) {
	place := sess.Spaces.Place
	text, accepted, err := sess.Spaces.Prime(ctx, place.Dir)
	if err != nil || text == nil || !accepted {
		return p, false, err == nil && text != nil, err
	}
	return override(place, place.Absolute(filepath.FromSlash(policy.PrimeFile)), text, budget, waitingHere(ctx, sess)), true, false, nil
}

// waitingHere lists the parts that wait for acceptance in the space of the working
// directory.
func waitingHere(ctx context.Context, sess *memory.Session) (names []string) {
	s, err := sess.Spaces.Current(ctx)
	if err != nil {
		return nil // the file is read without a space as well
	}
	pol, _, err := sess.Spaces.Policy(ctx, s, nil)
	if err != nil {
		return nil
	}
	for _, part := range sess.Spaces.Waiting(ctx, s, pol) {
		names = append(names, part.Name)
	}
	return names
}

// waitingLine lists the parts that wait for acceptance. It does not describe their
// effects: that text comes from the directory.
func waitingLine(parts []string) string {
	return "Parts of the policy came with this directory and do nothing until a person accepts them (cairn space add DIR): " + strings.Join(parts, ", ") + "."
}

// override returns the text of such a file in the form that sessions read.
func override(o space.Place, name string, text []byte, budget int, waiting []string) api.Prime {
	if budget <= 0 {
		budget = defaultPrimeBudget
	}
	p := api.Prime{Budget: budget, Pinned: []string{}}
	clean := strings.TrimSpace(string(secrets.Hide([]byte(harmless(safetext.Text(string(text)))))))
	if clean == "" {
		return p
	}
	out := primeText{count: wordPieces(o), left: budget}
	if p.Waiting = waiting; len(waiting) > 0 {
		out.add(waitingLine(waiting))
	}
	out.add("From " + oneLine(name) + ":")
	for line := range strings.SplitSeq(clean, "\n") {
		if !out.add(line) {
			break
		}
	}
	p.Text = out.String()
	p.Tokens = out.count(p.Text)
	return p
}
