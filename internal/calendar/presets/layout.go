package presets

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	daily "github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/calendar/generated"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// maxPage bounds the size of a page compared with its preset.
const maxPage = 16 << 20

// idOf is the placeholder for the page's id in a preset.
const idOf = "{{id}}"

// verb is the operation of a layout's writes in the history.
const verb = "layout"

// asSchedule returns the session that creates preset pages: their generated parts
// are refreshed, and no page is rotated.
func asSchedule(sess *memory.Session) *memory.Session {
	return sess.As(kb.Actor{Kind: kb.Schedule}, memory.HookRotate)
}

// Add adds a space, see space.Registry.Add, and creates the missing pages of its
// preset. In a space with guarded commits it creates them only on request.
func Add(ctx context.Context, sess *memory.Session, req space.AddRequest) (api.Space, error) {
	out, err := sess.Spaces.Add(ctx, req)
	if err == nil && out.Returned && !req.DryRun {
		out, err = freshness.ReturnPages(ctx, sess, out)
	}
	if err != nil || len(sess.Presets.Files(out.Preset)) == 0 {
		return out, err
	}
	pol, err := policy.Parse([]byte(out.Policy))
	if err != nil || pol.Guard.Commit && !req.Init {
		return out, err
	}
	if req.DryRun {
		out.Made, err = planned(sess, out, pol)
		return out, err
	}
	made, err := fill(ctx, sess, out)
	out.Made = made
	return out, err
}

// presetFiles returns the paths of the pages that a preset adds to a space. A page
// that the preset has in both formats is added in the format of the space.
func presetFiles(sess *memory.Session, preset string, pol *policy.Policy) []string {
	ext := ".md"
	if pol.Format == "org" {
		ext = ".org"
	}
	all := sess.Presets.Files(preset)
	return slices.DeleteFunc(slices.Clone(all), func(p string) bool {
		stem := strings.TrimSuffix(p, path.Ext(p))
		return path.Ext(p) != ext && slices.Contains(all, stem+ext)
	})
}

// planned lists the pages that Add would create.
func planned(sess *memory.Session, s api.Space, pol *policy.Policy) ([]string, error) {
	all := presetFiles(sess, s.Preset, pol)
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

// fill creates the missing pages of a space in one write.
func fill(ctx context.Context, sess *memory.Session, in api.Space) (made []string, err error) {
	s, err := open(ctx, sess, in.Name)
	if err != nil {
		return nil, err
	}
	var changes []write.Change
	for _, p := range presetFiles(sess, in.Preset, s.Policy) {
		there, err := has(ctx, sess, s, p)
		if err != nil {
			return nil, err
		}
		if !there {
			changes = append(changes, write.Change{Space: s, Path: p, Action: write.Put{Bytes: pageText(sess, s, in.Preset, p, sess.Now())}})
			made = append(made, p)
		}
	}
	if s.Files != nil && s.Policy.Folder != "" && len(s.Policy.Inbox.Paths) > 0 { // to drop files into
		if err := fsys.MakeDir(filepath.Join(s.Root, filepath.FromSlash(s.Policy.Folder))); err != nil {
			return nil, fsys.Explain(err, "make %s", s.Policy.Folder)
		}
	}
	if len(changes) == 0 {
		return nil, nil
	}
	_, err = change.Apply(ctx, asSchedule(sess), verb, api.WriteOptions{}, changes)
	return made, err
}

func open(ctx context.Context, sess *memory.Session, name string) (*write.Space, error) {
	s, err := sess.Spaces.ByName(ctx, name)
	if err != nil {
		return nil, err
	}
	return sess.Spaces.OpenSpace(ctx, s)
}

// has reports whether a space has a document at a path.
func has(ctx context.Context, sess *memory.Session, s *write.Space, path string) (there bool, err error) {
	if s.Files != nil {
		return onDisk(s.Files, path)
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		pages, err := tx.Pages().ByPath(ctx, s.Row, path)
		there = len(pages) > 0
		return err
	})
	return there, err
}

// pageText returns the text of a preset page created at a time. Its date is the
// calendar day of the space.
func pageText(sess *memory.Session, s *write.Space, preset, path string, at time.Time) []byte {
	text, _ := sess.Presets.File(preset, path)
	text = bytes.ReplaceAll(text, []byte(idOf), []byte(kb.DerivedID(s.ID, path, "", 0)))
	at = at.In(sess.Now().Location())
	day := s.Policy.Calendar(at.Location()).Of(at).Time()
	return []byte(daily.Fill(string(text), day, at, ""))
}

// Upgrade lists the outcome for the pages of a space's preset. Missing pages are
// created, and pages unchanged since an older preset created them are replaced. For
// pages with local changes the new text is only shown.
func Upgrade(ctx context.Context, sess *memory.Session, in api.Space, dryRun bool) ([]api.LaidOut, error) {
	s, err := open(ctx, sess, in.Name)
	if err != nil {
		return nil, err
	}
	var (
		out     []api.LaidOut
		changes []write.Change
	)
	for _, p := range presetFiles(sess, in.Preset, s.Policy) {
		there, err := has(ctx, sess, s, p)
		if err != nil {
			return nil, err
		}
		if !there {
			text := pageText(sess, s, in.Preset, p, sess.Now())
			out = append(out, api.LaidOut{Path: p, State: "missing"})
			changes = append(changes, write.Change{Space: s, Path: p, Action: write.Put{Bytes: text}})
			continue
		}
		laid, c, err := newer(ctx, sess, s, in.Preset, p)
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
	_, err = change.Apply(ctx, asSchedule(sess), verb, api.WriteOptions{}, changes)
	return out, err
}

// newer compares a page with the current text of its preset. It returns nil if the
// page was created from that text, or not from a preset.
func newer(ctx context.Context, sess *memory.Session, s *write.Space, preset, path string) (*api.LaidOut, *write.Change, error) {
	made, page, text, err := lastMade(ctx, sess, s, path)
	if err != nil || made == nil {
		return nil, nil, err
	}
	now := pageText(sess, s, preset, path, made.Time)
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

// lastMade returns the last version of a page that a layout created, and that page
// with its current text.
func lastMade(ctx context.Context, sess *memory.Session, s *write.Space, path string) (made *kb.Version, page kb.Page, text []byte, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
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
