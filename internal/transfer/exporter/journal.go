package exporter

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/store"
)

// JournalRequest asks for an export.
type JournalRequest struct {
	Dir    string // absolute
	DryRun bool
}

// Export is the result of an export, by names of files in the directory.
type Export struct {
	Space    string   `json:"space"`
	Dir      string   `json:"dir"`
	Written  []string `json:"written"`
	Removed  []string `json:"removed"`  // exported earlier, and no longer part of the export
	Withheld []string `json:"withheld"` // paths of pages that are not exported
	Kept     []string `json:"kept"`     // changed or made by somebody else
	Blocked  []Block  `json:"blocked"`  // neither written nor removed
	Same     int      `json:"same"`
	DryRun   bool     `json:"dry_run,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

// Block is an obstacle at the path of an exported file that cannot be read and
// written, such as a symbolic link.
type Block struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// ExportJournal exports the journal of the current space.
func ExportJournal(ctx context.Context, sess *memory.Session, req JournalRequest) (out Export, err error) {
	s, err := sess.Spaces.OpenCurrent(ctx)
	if err != nil {
		return out, err
	}
	out = Export{Space: s.Name, Dir: req.Dir, DryRun: req.DryRun, Written: []string{}, Removed: []string{}, Withheld: []string{}, Kept: []string{}, Blocked: []Block{}}
	if len(s.Policy.Journal.Paths) == 0 {
		return out, kb.Errorf(kb.NotFound, "%s has no journal", s.Name).
			WithHint("Say in [journal] of its policy which pages are one, or use the preset context.")
	}
	if err := outside(s.Root, req.Dir); err != nil {
		return out, err
	}
	if err := sess.Spaces.MayFill(ctx, req.Dir, "journal export "+req.Dir); err != nil {
		return out, err
	}
	texts, err := readTexts(ctx, sess, s, &out)
	if err != nil {
		return out, err
	}
	if !req.DryRun {
		if err := fsys.MakeDir(req.Dir); err != nil {
			return out, fsys.Explain(err, "make %s", req.Dir)
		}
	}
	dir, err := fsys.OpenDir(req.Dir)
	if errors.Is(err, fs.ErrNotExist) && req.DryRun {
		out.Written = append(out.Written, slices.Sorted(maps.Keys(texts))...)
		return out, nil
	}
	if err != nil {
		return out, fsys.Explain(err, "open %s", req.Dir)
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	t := target{dir: dir, space: s.ID, texts: texts, out: &out}
	return out, t.update(ctx)
}

// readTexts returns the exported texts by name.
func readTexts(ctx context.Context, sess *memory.Session, s *write.Space, out *Export) (map[string][]byte, error) {
	r := rules{withhold: s.Policy.Journal.Withhold, scan: secrets.Options{Allow: s.Policy.Secrets.Allow, Rules: s.Policy.Secrets.Rules}}
	if at := s.Policy.Journal.Rules; at != "" {
		d, err := change.At(ctx, sess, s, at)
		if err != nil {
			return nil, err // the rules for withheld text are unknown
		}
		if !d.Exists() {
			out.Notes = append(out.Notes, "there is no page "+at+", so no section or line is left out")
		}
		r.read(d.Doc, s.Policy.Journal)
		for _, heading := range r.unread {
			out.Notes = append(out.Notes, "nothing is done about the list under "+heading+" in "+at)
		}
	}
	var states []store.FileState
	err := sess.DB.View(ctx, func(tx store.Tx) (err error) {
		states, err = tx.Documents().States(ctx, s.Row)
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(states, func(a, b store.FileState) int { return strings.Compare(a.Path, b.Path) })
	texts := map[string][]byte{}
	for _, st := range states {
		folder, ok := s.Policy.Journal.Folder(st.Path)
		if !ok {
			continue
		}
		d, err := change.At(ctx, sess, s, st.Path)
		switch {
		case err != nil && kb.CodeOf(err) == kb.Conflict, err == nil && d.Exists() && withheld(d.Doc, r.withhold):
			out.Withheld = append(out.Withheld, st.Path)
			continue
		case err != nil:
			return nil, err
		case !d.Exists():
			continue
		}
		name := strings.TrimPrefix(st.Path, folder)
		if texts[name] != nil {
			return nil, kb.Errorf(kb.Conflict, "two pages of the journal would be exported as %s", name)
		}
		if texts[name], err = r.export(d.Doc); err != nil {
			return nil, err
		}
	}
	return texts, nil
}
