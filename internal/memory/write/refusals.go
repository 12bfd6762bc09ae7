package write

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// refusals collect the documents of a change set that cannot be changed as
// requested, so that the caller sees all of them at once.
type refusals struct {
	changes int // of the set
	all     []refusal
	after   []string // paths to skip: the move there was refused
}

type refusal struct {
	Path    string  `json:"path"`
	Code    kb.Code `json:"code"`
	Message string  `json:"message"`

	err *kb.Error
}

// maxNamed is how many refused documents a message names; the details have all.
const maxNamed = 5

// add records the error of a document. It returns false for an error of another
// kind, which ends the set at once.
func (r *refusals) add(path string, err error) bool {
	e := kb.AsError(err)
	switch e.Code {
	case kb.Usage, kb.NotFound, kb.Conflict, kb.Invalid, kb.Refused, kb.Secret:
		r.all = append(r.all, refusal{path, e.Code, e.Error(), e})
		return !store.IsBusy(err)
	}
	return false
}

// has reports whether a document was refused before.
func (r *refusals) has(path string) bool {
	return slices.Contains(r.after, path) || slices.ContainsFunc(r.all, func(one refusal) bool { return one.Path == path })
}

// err is the error for the caller, nil when nothing was refused.
func (r *refusals) err() error {
	switch {
	case len(r.all) == 0:
		return nil
	case r.changes == 1:
		return r.all[0].err
	case len(r.all) == 1:
		e := *r.all[0].err
		if !strings.Contains(e.Message, r.all[0].Path) {
			e.Message = r.all[0].Path + ": " + e.Message
		}
		return e.With("pages", r.all)
	}
	var named []string
	for _, one := range r.all[:min(len(r.all), maxNamed)] {
		named = append(named, fmt.Sprintf("%s (%s)", one.Path, one.Message))
	}
	if more := len(r.all) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("%d more", more))
	}
	return kb.Errorf(r.all[0].Code, "%d pages cannot be changed so: %s", len(r.all), strings.Join(named, "; ")).
		WithHint("Nothing was changed, in no page. Leave these out, or fix them first.").
		With("pages", r.all).Because(r.all[0].err)
}

// RefusedPaths returns the paths of the refused documents of a change set with
// several, nil when it failed for another reason.
func RefusedPaths(err error) (out []string) {
	if err == nil {
		return nil
	}
	all, _ := kb.AsError(err).Details["pages"].([]refusal)
	for _, one := range all {
		out = append(out, one.Path)
	}
	return out
}
