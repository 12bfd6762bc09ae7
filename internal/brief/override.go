package brief

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

// primeFile is where a directory keeps its own text for the start of sessions.
const primeFile = ".cairn/PRIME.md"

// maxPrimeFile bounds how much of such a file is read.
const maxPrimeFile = 1 << 20

// PrimeOverride returns the text that somebody wrote in place of what Prime
// says: that of the file which CAIRN_PRIME names, else of .cairn/PRIME.md in
// the working directory. found is false when there is neither. The text is cut
// at the budget, 0 being 800 tokens; credentials are masked, and a blank file is
// an empty text.
func PrimeOverride(ctx context.Context, o space.Place, budget int) (p Prime, found bool, err error) {
	name := o.Env("CAIRN_PRIME")
	asked := name != ""
	if !asked {
		name = filepath.FromSlash(primeFile)
	}
	name = o.Absolute(name)
	d, err := fsys.OpenDir(filepath.Dir(name))
	if err != nil {
		if !asked && errors.Is(err, fs.ErrNotExist) {
			return p, false, nil
		}
		return p, false, fsys.Explain(err, "read %s", name)
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	text, _, err := fsys.ReadFile(ctx, d, filepath.Base(name), maxPrimeFile)
	if err != nil {
		if !asked && errors.Is(err, fs.ErrNotExist) {
			return p, false, nil
		}
		return p, false, fsys.Explain(err, "read %s", name)
	}
	if budget <= 0 {
		budget = defaultPrimeBudget
	}
	p = Prime{Budget: budget, Pinned: []string{}}
	clean := strings.TrimSpace(string(secrets.Hide([]byte(harmless(safetext.Text(string(text)))))))
	if clean == "" {
		return p, true, nil
	}
	out := primeText{count: wordPieces(o), left: budget}
	out.add("From " + oneLine(name) + ":")
	for line := range strings.SplitSeq(clean, "\n") {
		if !out.add(line) {
			break
		}
	}
	p.Text = out.String()
	p.Tokens = out.count(p.Text)
	return p, true, nil
}
