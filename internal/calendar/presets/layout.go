package presets

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	daily "github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/calendar/generated"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// Engine lays out spaces. Its Change writes as the schedule, since a preset may keep
// agents from pages that it brings.
type Engine struct {
	DB     store.Memory
	Spaces *space.Registry
	Change *change.Engine
	Now    func() time.Time

	// Files returns the paths of the pages that a preset brings, and File the text of one.
	Files func(preset string) []string
	File  func(preset, path string) ([]byte, bool)
}

// maxPage bounds a page that is compared with its preset's.
const maxPage = 16 << 20

// idOf stands for the id of the page in its preset.
const idOf = "{{id}}"

// verb names a layout in the history.
const verb = "layout"

// Add adds a space, see space.Registry.Add, and makes the pages of its preset that are
// not there. In one whose writes are commits it makes them only when asked to.
func (e *Engine) Add(ctx context.Context, req space.AddRequest) (api.Space, error) {
	out, err := e.Spaces.Add(ctx, req)
	if err != nil || len(e.Files(out.Preset)) == 0 {
		return out, err
	}
	pol, err := policy.Parse([]byte(out.Policy))
	if err != nil || pol.Guard.Commit && !req.Init {
		return out, err
	}
	if req.DryRun {
		out.Made, err = e.planned(out, pol)
		return out, err
	}
	made, err := e.fill(ctx, out)
	out.Made = made
	return out, err
}

// files are the pages that a preset brings to a space. One that it has in both formats comes
// in that of the space.
func (e *Engine) files(preset string, pol *policy.Policy) []string {
	ext := ".md"
	if pol.Format == "org" {
		ext = ".org"
	}
	all := e.Files(preset)
	return slices.DeleteFunc(slices.Clone(all), func(p string) bool {
		stem := strings.TrimSuffix(p, path.Ext(p))
		return path.Ext(p) != ext && slices.Contains(all, stem+ext)
	})
}

// planned lists what Add would make.
func (e *Engine) planned(s api.Space, pol *policy.Policy) ([]string, error) {
	all := e.files(s.Preset, pol)
	if s.Root == "" {
		return all, nil
	}
	dir, err := fsys.OpenDir(s.Root)
	if err != nil {
		return nil, fsys.Explain(err, "open %s", s.Root)
	}
	var out []string
	for _, p := range all {
		there, err := onDisk(dir, p)
		if err != nil {
			return nil, errors.Join(err, dir.Close())
		}
		if !there {
			out = append(out, p)
		}
	}
	return out, dir.Close()
}

func onDisk(files fsys.FS, path string) (bool, error) {
	_, err := files.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return true, fsys.Explain(err, "look at %s", path)
}

// fill makes the missing pages of a space in one write.
func (e *Engine) fill(ctx context.Context, in api.Space) (made []string, err error) {
	s, err := e.open(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	var changes []write.Change
	for _, p := range e.files(in.Preset, s.Policy) {
		there, err := e.has(ctx, s, p)
		if err != nil {
			return nil, err
		}
		if !there {
			changes = append(changes, write.Change{Space: s, Path: p, Action: write.Put{Bytes: e.text(s, in.Preset, p, e.Now())}})
			made = append(made, p)
		}
	}
	if len(changes) == 0 {
		return nil, nil
	}
	_, err = e.Change.Apply(ctx, verb, api.WriteOptions{}, changes)
	return made, err
}

func (e *Engine) open(ctx context.Context, name string) (*write.Space, error) {
	s, err := e.Spaces.ByName(ctx, name)
	if err != nil {
		return nil, err
	}
	return e.Spaces.OpenSpace(ctx, s)
}

// has reports whether a space has a document at a path.
func (e *Engine) has(ctx context.Context, s *write.Space, path string) (there bool, err error) {
	if s.Files != nil {
		return onDisk(s.Files, path)
	}
	err = e.DB.View(ctx, func(tx store.Tx) error {
		pages, err := tx.Pages().ByPath(ctx, s.Row, path)
		there = len(pages) > 0
		return err
	})
	return there, err
}

// text is a page of a preset as it is made at a time, of the day that it is in the space.
func (e *Engine) text(s *write.Space, preset, path string, at time.Time) []byte {
	text, _ := e.File(preset, path)
	text = bytes.ReplaceAll(text, []byte(idOf), []byte(kb.DerivedID(s.ID, path, "", 0)))
	at = at.In(e.Now().Location())
	day := s.Policy.Calendar(at.Location()).Of(at).Time()
	return []byte(daily.Fill(string(text), day, at, ""))
}

// Upgrade says what becomes of the pages of a space's preset: which are missing and made,
// which are replaced since they are as an older preset made them, and for which the preset
// has a newer text that is only shown, since they were changed here.
func (e *Engine) Upgrade(ctx context.Context, in api.Space, dryRun bool) ([]api.LaidOut, error) {
	s, err := e.open(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	var (
		out     []api.LaidOut
		changes []write.Change
	)
	for _, p := range e.files(in.Preset, s.Policy) {
		there, err := e.has(ctx, s, p)
		if err != nil {
			return nil, err
		}
		if !there {
			text := e.text(s, in.Preset, p, e.Now())
			out = append(out, api.LaidOut{Path: p, State: "missing"})
			changes = append(changes, write.Change{Space: s, Path: p, Action: write.Put{Bytes: text}})
			continue
		}
		laid, c, err := e.newer(ctx, s, in.Preset, p)
		if err != nil {
			return nil, err
		}
		if laid != nil {
			out = append(out, *laid)
		}
		if c != nil {
			changes = append(changes, *c)
		}
	}
	if dryRun || len(changes) == 0 {
		return out, nil
	}
	_, err = e.Change.Apply(ctx, verb, api.WriteOptions{}, changes)
	return out, err
}

// newer says how a page stands to the text that its preset has by now; nil where that is
// what the page was made of, or where the page was not made by its preset.
func (e *Engine) newer(ctx context.Context, s *write.Space, preset, path string) (*api.LaidOut, *write.Change, error) {
	made, page, text, err := e.made(ctx, s, path)
	if err != nil || made == nil {
		return nil, nil, err
	}
	now := e.text(s, preset, path, made.Time)
	if sha256.Sum256(now) == made.Hash {
		return nil, nil, nil
	}
	out := &api.LaidOut{Path: path, State: "changed", Diff: history.State{Path: path, Text: text}.Diff(history.State{Path: path, Text: now})}
	if sha256.Sum256(generated.Emptied(s.Policy, path, text)) != made.Hash {
		return out, nil, nil
	}
	out.State = "replaced"
	return out, &write.Change{Space: s, Path: path, Expected: &page.Version, Action: write.Put{Bytes: now}}, nil
}

// made returns the version of a page that a layout made last, and the page as it is.
func (e *Engine) made(ctx context.Context, s *write.Space, path string) (made *kb.Version, page kb.Page, text []byte, err error) {
	err = e.DB.View(ctx, func(tx store.Tx) error {
		pages, err := tx.Pages().ByPath(ctx, s.Row, path)
		if err != nil || len(pages) == 0 {
			return err
		}
		page = pages[0]
		versions, _, err := tx.History().Versions(ctx, store.VersionFilter{Spaces: []int64{s.Row}, Page: page.ID}, 0, 0)
		if err != nil {
			return err
		}
		for i := range versions {
			w, err := tx.History().Write(ctx, versions[i].Write)
			if err != nil {
				return err
			}
			if w.Operation == verb && (made == nil || versions[i].Version > made.Version) {
				made = &versions[i]
			}
		}
		if made == nil {
			return nil
		}
		if s.Files == nil {
			text, err = tx.History().Bytes(ctx, page.Hash)
		}
		return err
	})
	if err == nil && made != nil && s.Files != nil {
		text, _, err = fsys.ReadFile(ctx, s.Files, path, maxPage)
		err = fsys.Explain(err, "read %s", path)
	}
	return made, page, text, err
}
