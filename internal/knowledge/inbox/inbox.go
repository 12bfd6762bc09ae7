// Package inbox lists the pages and other files waiting to be filed, by the policy
// of a space, and files them.
package inbox

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// typeFile is the type of a waiting file that is not a page: a mail, an image,
// plain text.
const typeFile = "file"

// List lists the waiting pages of the current space by name, and then the other
// files.
func List(ctx context.Context, sess *memory.Session) (api.List[api.Page], error) {
	s, err := sess.Spaces.OpenCurrent(ctx)
	if err != nil {
		return api.List[api.Page]{}, err
	}
	if len(s.Policy.Inbox.Paths) == 0 {
		return api.List[api.Page]{}, kb.Errorf(kb.NotFound, "%s has no inbox", s.Name).
			WithHint("Say in [inbox] of its policy where pages wait, or use the preset context.")
	}
	out, err := retrieve.Pages(ctx, sess, retrieve.ListRequest{Within: retrieve.Within{Paths: s.Policy.Inbox.Paths}})
	if err != nil {
		return out, err
	}
	list, err := read.Files(ctx, sess, s.Space, "", 0)
	if err != nil {
		return out, err
	}
	for _, f := range list.Files {
		if s.Policy.Inbox.Has(f.Path) {
			out.Items = append(out.Items, filePage(s, f.Path, f.Size, time.Unix(0, f.ModTime)))
			out.Total++
		}
	}
	return out, nil
}

// filePage describes a file that is not a page, in the form of a page.
func filePage(s *write.Space, at string, size int64, changed time.Time) api.Page {
	return api.Page{
		Ref: s.Name + ":" + at, Space: s.Name, Slug: at, Title: path.Base(at), Type: typeFile, Path: at,
		File: filepath.Join(s.Root, filepath.FromSlash(at)), Bytes: size, UpdatedAt: changed.UTC().Truncate(time.Second),
	}
}

// Done moves a filed page or other file to the directory in the policy, with
// another name if its own is in use.
func Done(ctx context.Context, sess *memory.Session, req DoneRequest) (api.Written, error) {
	named, s, err := change.Writable(ctx, sess, req.Ref)
	if kb.CodeOf(err) == kb.NotFound {
		if out, found, err := fileDone(ctx, sess, req); found || err != nil {
			return out, err
		}
	}
	if err != nil {
		return api.Written{}, err
	}
	if !s.Policy.Inbox.Has(named.Page.Path) {
		return api.Written{}, kb.Errorf(kb.Usage, "%s is not in the inbox", named.Page.Ref())
	}
	to := s.Policy.Inbox.After(named.Page.Path)
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		to, err = ref.FreePath(ctx, tx, s.Space, to, nil)
		return err
	})
	if err != nil {
		return api.Written{}, err
	}
	return change.Move(ctx, sess, change.MoveRequest{WriteOptions: req.WriteOptions, Ref: named.Page.Ref(), To: to})
}

// DoneRequest asks for a page to be filed.
type DoneRequest struct {
	api.WriteOptions
	Ref string
}

// fileDone is Done for a file that is not a page. Such files have no history; the
// move never overwrites a file.
func fileDone(ctx context.Context, sess *memory.Session, req DoneRequest) (out api.Written, found bool, err error) {
	s, err := sess.Spaces.OpenCurrent(ctx)
	if err != nil || s.Files == nil {
		return out, false, err
	}
	at := strings.TrimPrefix(req.Ref, s.Name+":")
	list, err := read.Files(ctx, sess, s.Space, "", 0)
	if err != nil {
		return out, false, err
	}
	waiting := slices.DeleteFunc(list.Files, func(f vault.File) bool {
		return !s.Policy.Inbox.Has(f.Path) || f.Path != at && path.Base(f.Path) != at
	})
	if exact := slices.IndexFunc(waiting, func(f vault.File) bool { return f.Path == at }); exact >= 0 {
		waiting = waiting[exact : exact+1]
	}
	switch len(waiting) {
	case 0:
		return out, false, nil
	case 1:
	default:
		var paths []string
		for _, f := range waiting {
			paths = append(paths, f.Path)
		}
		return out, true, kb.Errorf(kb.Ambiguous, "several files in the inbox are called %q", at).With("candidates", paths).
			WithHint("Write the path of one: %s.", strings.Join(paths, ", "))
	}
	file := waiting[0]
	at = file.Path
	to := s.Policy.Inbox.After(at)
	for n := 2; s.Has(to); n++ {
		ext := path.Ext(at)
		to = strings.TrimSuffix(s.Policy.Inbox.After(at), ext) + "-" + strconv.Itoa(n) + ext
	}
	for _, p := range []string{at, to} {
		if err := s.Policy.Check(policy.Request{Actor: sess.Actor, Operation: policy.OpMove, Path: p}); err != nil {
			return out, true, err
		}
	}
	out = api.Written{DryRun: req.DryRun, Pages: []api.WrittenPage{{
		Page: filePage(s, to, file.Size, time.Unix(0, file.ModTime)), Change: kb.Moved, From: at,
	}}}
	if req.DryRun {
		return out, true, nil
	}
	// A copy has the current time, from which its age at the new path counts.
	text, _, err := fsys.ReadFile(ctx, s.Files, at, write.MaxDocument)
	if err != nil {
		return out, true, fsys.Explain(err, "read %s", at)
	}
	info, err := s.Files.Lstat(at)
	if err != nil {
		return out, true, fsys.Explain(err, "read %s", at)
	}
	err = fsys.WriteAtomic(ctx, s.Files, to, text, fsys.Absent(), fsys.WriteOptions{Perm: info.Mode().Perm()})
	if err == nil || errors.Is(err, fsys.ErrNotDurable) {
		err = errors.Join(err, fsys.RemoveDurable(ctx, s.Files, at, fsys.Unchanged(text)))
	}
	return out, true, fsys.Explain(err, "move %s", at)
}
