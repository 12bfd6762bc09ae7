package journal

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/change"
	"github.com/cairn-kb/cairn/internal/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/write"
)

// Engine exports for one caller.
type Engine struct{ Change *change.Engine }

// Request asks for an export.
type Request struct {
	Dir    string // absolute
	DryRun bool
}

// Export is what an export did, by names of files in the directory.
type Export struct {
	Space    string   `json:"space"`
	Dir      string   `json:"dir"`
	Written  []string `json:"written"`
	Removed  []string `json:"removed"`  // they were exported before
	Withheld []string `json:"withheld"` // paths of pages that stay here
	Kept     []string `json:"kept"`     // somebody changed them, or made them
	Same     int      `json:"same"`
	DryRun   bool     `json:"dry_run,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

// manifestName is the file that says what was exported into a directory, as it was.
const manifestName = ".cairn-journal.json"

type manifest struct {
	Space kb.ID             `json:"space"`
	Files map[string]string `json:"files"` // hash of what was written, by name
}

// mostBytes bounds a file that is read.
const mostBytes = 64 << 20

// Export exports the journal of the current space.
func (e *Engine) Export(ctx context.Context, req Request) (out Export, err error) {
	s, err := e.Change.Spaces.OpenCurrent(ctx)
	if err != nil {
		return out, err
	}
	out = Export{Space: s.Name, Dir: req.Dir, DryRun: req.DryRun, Written: []string{}, Removed: []string{}, Withheld: []string{}, Kept: []string{}}
	if len(s.Policy.Journal.Paths) == 0 {
		return out, kb.Errorf(kb.NotFound, "%s has no journal", s.Name).
			WithHint("Say in [journal] of its policy which pages are one, or use the preset context.")
	}
	if in, err := filepath.Rel(s.Root, req.Dir); s.Root != "" && err == nil && in != ".." && !strings.HasPrefix(in, ".."+string(filepath.Separator)) {
		return out, kb.Errorf(kb.Usage, "%s is in the space itself", req.Dir).WithHint("Name a directory elsewhere.")
	}
	texts, err := e.texts(ctx, s, &out)
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
		out.Written = slices.Sorted(maps.Keys(texts))
		return out, nil
	}
	if err != nil {
		return out, fsys.Explain(err, "open %s", req.Dir)
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	err = put(ctx, dir, s.ID, texts, &out)
	return out, err
}

// texts are what is exported, by name.
func (e *Engine) texts(ctx context.Context, s *write.Space, out *Export) (map[string][]byte, error) {
	r := rules{scan: secrets.Options{Allow: s.Policy.Secrets.Allow, Rules: s.Policy.Secrets.Rules}}
	if at := s.Policy.Journal.Rules; at != "" {
		d, err := e.Change.At(ctx, s, at)
		if err != nil {
			return nil, err // what is kept back is not known
		}
		r.read(d.Doc, s.Policy.Journal)
		for _, heading := range r.unread {
			out.Notes = append(out.Notes, "nothing is done about the list under "+heading+" in "+at)
		}
	}
	var states []store.FileState
	err := e.Change.DB.View(ctx, func(tx store.Tx) (err error) {
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
		d, err := e.Change.At(ctx, s, st.Path)
		switch {
		case err != nil && kb.CodeOf(err) == kb.Conflict, err == nil && d.Exists() && withheld(d.Doc, s.Policy.Journal.Withhold):
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

// put brings the directory to these texts.
func put(ctx context.Context, dir fsys.FS, space kb.ID, texts map[string][]byte, out *Export) error {
	before, old, err := readManifest(ctx, dir, space)
	if err != nil {
		return err
	}
	now := manifest{Space: space, Files: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		have, there, err := read(ctx, dir, name)
		if err != nil {
			return err
		}
		pre := fsys.Absent()
		switch {
		case there && bytes.Equal(have, texts[name]):
			out.Same++
			now.Files[name] = hash(have)
			continue
		case there && before.Files[name] != hash(have):
			out.Kept = append(out.Kept, name)
			continue
		case there:
			pre = fsys.Unchanged(have)
		}
		if !out.DryRun {
			if err := fsys.WriteAtomic(ctx, dir, name, texts[name], pre, fsys.WriteOptions{Perm: 0o600}); err != nil {
				return fsys.Explain(err, "write %s", name)
			}
		}
		out.Written, now.Files[name] = append(out.Written, name), hash(texts[name])
	}
	for _, name := range slices.Sorted(maps.Keys(before.Files)) {
		if texts[name] != nil {
			continue
		}
		have, there, err := read(ctx, dir, name)
		switch {
		case err != nil:
			return err
		case !there:
			continue
		case hash(have) != before.Files[name]:
			out.Kept = append(out.Kept, name)
			continue
		}
		if !out.DryRun {
			if err := dir.Remove(name); err != nil {
				return fsys.Explain(err, "remove %s", name)
			}
		}
		out.Removed = append(out.Removed, name)
	}
	text, err := json.MarshalIndent(now, "", "  ")
	if err != nil || out.DryRun || bytes.Equal(append(text, '\n'), old) {
		return err
	}
	return fsys.Explain(fsys.WriteAtomic(ctx, dir, manifestName, append(text, '\n'), fsys.Any(), fsys.WriteOptions{Perm: 0o600}), "write %s", manifestName)
}

// readManifest reads what was exported before. A file that cannot be read knows of nothing:
// then all that is there stays.
func readManifest(ctx context.Context, dir fsys.FS, space kb.ID) (m manifest, text []byte, err error) {
	text, there, err := read(ctx, dir, manifestName)
	if err != nil || !there {
		return m, nil, err
	}
	if json.Unmarshal(text, &m) != nil {
		return manifest{}, text, nil
	}
	if m.Space != space {
		return m, text, kb.Errorf(kb.Conflict, "the journal of another space was exported here").WithHint("Name another directory.")
	}
	return m, text, nil
}

func read(ctx context.Context, dir fsys.FS, name string) (text []byte, there bool, err error) {
	if !fs.ValidPath(name) {
		return nil, false, nil
	}
	text, _, err = fsys.ReadFile(ctx, dir, name, mostBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return text, err == nil, fsys.Explain(err, "read %s", name)
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
