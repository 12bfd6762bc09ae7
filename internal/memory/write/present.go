package write

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Present fails with kb.Refused when the directory of the space is missing or
// empty, for example because its disk is not mounted. Then a missing file does
// not mean a deleted document.
func (s *Space) Present() error { return s.present(true) }

// present is Present for a directory that must have something in it, or may be
// empty.
func (s *Space) present(something bool) error {
	if err := Here(s.Space); err != nil || s.Files == nil {
		return err
	}
	entries, err := s.Files.ReadDir(".")
	switch {
	case err == nil && (len(entries) > 0 || !something):
		return nil
	case err == nil:
		return kb.Errorf(kb.Refused, "the directory of the space %s is empty: %s", s.Name, s.Root).
			WithHint("Nothing was changed, and the memory still knows its pages.").WithReason(kb.DirectoryEmpty)
	case errors.Is(err, fs.ErrNotExist):
		return Vanished(s.Space)
	}
	return fsys.Explain(err, "list the directory of the space %s", s.Name)
}

// present fails when a space with files in the record is missing, so that its
// state does not show the progress of the change set.
func (r *record) present(s *Space) error {
	return s.present(slices.ContainsFunc(r.Ops, func(o op) bool { return o.Space == s.Row && o.had() }))
}

// Here fails with kb.Refused for a space whose files another machine has.
func Here(s kb.Space) error {
	if s.Kind != kb.RemoteSpace {
		return nil
	}
	return kb.Errorf(kb.Refused, "the files of the space %s are on the host %s, in %s, and are written and synced there only", s.Name, s.Host, s.There).
		WithHint("Nothing was changed.").WithReason(kb.SpaceElsewhere).WithFact("space", s.Name).WithFact("host", s.Host)
}

// Vanished is the error for a missing directory of a space. It is not
// kb.NotFound: the space is known, and its directory may return.
func Vanished(s kb.Space) error {
	return kb.Errorf(kb.Refused, "the directory of the space %s is not there: %s", s.Name, s.Root).
		WithHint("Nothing was changed, and the memory still knows its pages. Mount its disk or put the directory back; or remove the space, if it is gone for good.")
}
