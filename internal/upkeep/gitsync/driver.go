package gitsync

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/indexfile"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
)

// MergeRequest holds three versions of a file of a repository, as git passes them
// to a merge driver.
type MergeRequest struct {
	Top                string // of the work tree
	Base, Ours, Theirs string // files, absolute or in Top
	Path               string // of the file, in the work tree
	Marks              int    // length of conflict markers; 0 is git's default
}

// MergeFile merges three versions of a file as Pull does, and writes the result to
// Ours. It returns false for conflicting changes: Ours then has both texts, with
// git's conflict markers. It needs no memory: the policy of the file's space is
// read from its directory.
func MergeFile(ctx context.Context, codecs []doc.Codec, req MergeRequest) (fits bool, err error) {
	tree := &git.Tree{Dir: req.Top}
	byLines := func() (bool, error) { return tree.MergeFile(ctx, req.Base, req.Ours, req.Theirs, req.Marks) }
	var texts [3][]byte
	for i, name := range []string{req.Base, req.Ours, req.Theirs} {
		if texts[i], err = version(ctx, req.Top, name); err != nil {
			if errors.Is(err, fsys.ErrTooLarge) {
				return byLines()
			}
			return false, fsys.Explain(err, "read %s", name)
		}
	}
	pol, in, err := policyOf(ctx, req.Top, req.Path)
	if err != nil {
		return false, err
	}
	if pol != nil && vault.IsSidecar(in) {
		if text, conflicts := sidecar.Merge(texts[0], texts[1], texts[2]); len(conflicts) == 0 {
			return true, rewrite(ctx, req.Top, req.Ours, texts[1], text)
		}
		return false, rewrite(ctx, req.Top, req.Ours, texts[1], marked(texts[1], texts[2], req.Marks))
	}
	if pol == nil || doc.ForPath(codecs, in) == nil || pol.Sources.Dir != "" && strings.HasPrefix(in, pol.Sources.Dir+"/") {
		return byLines()
	}
	index := indexfile.Options{Name: pol.Index.File, Org: pol.Format == "org"}
	if index.Name != "" && index.Owns(in) && indexfile.Made(texts[1]) && indexfile.Made(texts[2]) {
		return true, nil // a sync rewrites it
	}
	text, conflicts := mergeTexts(doc.ForNote(codecs, pol.Written(), in), in, pol.Stamps, texts[0], texts[1], texts[2])
	if len(conflicts) == 0 {
		return true, rewrite(ctx, req.Top, req.Ours, texts[1], text)
	}
	fits, err = byLines()
	if fits && err == nil { // the merge by lines succeeds, but the result is not a valid page
		var after []byte
		if after, err = version(ctx, req.Top, req.Ours); err == nil {
			err = rewrite(ctx, req.Top, req.Ours, after, marked(texts[1], texts[2], req.Marks))
		}
	}
	return false, err
}

// policyOf returns the policy of the space that contains a file of a work tree, and
// the path of the file in the space; nil without a space or a readable policy.
func policyOf(ctx context.Context, top, name string) (*policy.Policy, string, error) {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		text, err := version(ctx, top, path.Join(dir, policy.FileName))
		switch {
		case errors.Is(err, fs.ErrNotExist) && dir != "." && dir != "/":
			continue
		case err != nil:
			return nil, "", ctx.Err()
		}
		pol, err := policy.Parse(text)
		if err != nil {
			return nil, "", nil // it may have conflict markers itself
		}
		return pol, strings.TrimPrefix(name, strings.TrimPrefix(dir+"/", "./")), nil
	}
}

// version reads a file named in a MergeRequest.
func version(ctx context.Context, top, name string) (text []byte, err error) {
	dir, base, err := openParent(top, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	text, _, err = fsys.ReadFile(ctx, dir, base, write.MaxDocument)
	return text, err
}

// rewrite replaces the content of an existing file.
func rewrite(ctx context.Context, top, name string, was, text []byte) (err error) {
	if bytes.Equal(was, text) {
		return nil
	}
	dir, base, err := openParent(top, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	err = fsys.WriteAtomic(ctx, dir, base, text, fsys.Unchanged(was), fsys.WriteOptions{})
	if errors.Is(err, fsys.ErrNotDurable) {
		return nil // git reads it at once
	}
	return err
}

// openParent opens the directory of a file.
func openParent(top, name string) (dir *fsys.Dir, base string, err error) {
	name = filepath.FromSlash(name)
	if !filepath.IsAbs(name) {
		name = filepath.Join(top, name)
	}
	dir, err = fsys.OpenDir(filepath.Dir(name))
	return dir, filepath.Base(name), err
}

// marked returns both texts as a conflict over the whole file.
func marked(ours, theirs []byte, marks int) []byte {
	if marks < 1 {
		marks = 7
	}
	var out bytes.Buffer
	line := func(sign, name string) { out.WriteString(strings.Repeat(sign, marks) + name + "\n") }
	text := func(b []byte) {
		out.Write(b)
		if len(b) > 0 && !bytes.HasSuffix(b, []byte("\n")) {
			out.WriteByte('\n')
		}
	}
	line("<", " ours")
	text(ours)
	line("=", "")
	text(theirs)
	line(">", " theirs")
	return out.Bytes()
}
