package curate

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/lintpages"
)

// maxPointing is the maximum size of a file searched for pointers, in bytes.
const maxPointing = 1 << 20

// findPointers repoints the pointers to a page in the files below a directory to
// another page, and returns the names of these files. It skips the files of spaces,
// which are pages, and the files of git. With dryRun it only returns the names.
func findPointers(ctx context.Context, sess *memory.Session, dir string, from, to subject, dryRun bool) (out []string, err error) {
	dir = sess.Spaces.Place.Absolute(dir)
	spaces, err := sess.Spaces.Directories(ctx)
	if err != nil {
		return nil, err
	}
	tree, err := fsys.OpenDir(dir)
	if err != nil {
		return nil, kb.Errorf(kb.NotFound, "there is no directory %s", dir).WithHint("Nothing was changed.")
	}
	defer func() { err = errors.Join(err, tree.Close()) }()
	err = lintpages.EachFile(tree, ".", func(at string, size int64) error {
		file := filepath.Join(dir, filepath.FromSlash(at))
		if size > maxPointing || strings.Contains("/"+at, "/.git/") || ctx.Err() != nil {
			return ctx.Err()
		}
		for _, s := range spaces {
			if in, err := filepath.Rel(s.Root, file); err == nil && filepath.IsLocal(in) {
				return nil
			}
		}
		text, _, err := fsys.ReadFile(ctx, tree, at, maxPointing)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsys.ErrTooLarge) {
			return nil
		}
		if err != nil {
			return fsys.Explain(err, "read %s", file)
		}
		led := repointed(text, from.ID, to.ID, to.Title)
		if led == nil {
			return nil
		}
		if !dryRun {
			err := fsys.WriteAtomic(ctx, tree, at, led, fsys.Unchanged(text), fsys.WriteOptions{})
			if err != nil && !errors.Is(err, fsys.ErrNotDurable) {
				return fsys.Explain(err, "write %s", file)
			}
		}
		out = append(out, file)
		return nil
	})
	return out, err
}

// pointer begins a reference to a page in agents' notes: "ai-kb: Title (UUID)".
var pointer = []byte("ai-kb:")

// repointed repoints the pointers to one id in a text to another, and returns nil
// if there are none.
func repointed(text []byte, from, to kb.ID, title string) []byte {
	if !bytes.Contains(text, pointer) || !utf8.Valid(text) || bytes.ContainsRune(text, 0) {
		return nil
	}
	var out []byte
	rest, found := text, false
	for {
		i := bytes.Index(rest, pointer)
		if i < 0 {
			break
		}
		begin := i + len(pointer)
		end := len(rest)
		for _, stop := range [][]byte{pointer, []byte("\n")} { // a pointer ends before the next, in its line
			if j := bytes.Index(rest[begin:], stop); j >= 0 {
				end = min(end, begin+j)
			}
		}
		open, shut, id := parenthesised(rest[begin:end])
		if id != from {
			out, rest = append(out, rest[:end]...), rest[end:]
			continue
		}
		found = true
		blank := len(rest[begin:begin+open]) - len(bytes.TrimLeft(rest[begin:begin+open], " \t"))
		out = append(out, rest[:begin+blank]...)
		out = append(out, title+" ("+string(to)+")"...)
		rest = rest[begin+shut+1:]
	}
	if !found {
		return nil
	}
	return append(out, rest...)
}

// parenthesised finds the first id in parentheses, and returns their positions.
func parenthesised(text []byte) (open, shut int, id kb.ID) {
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], '(')
		if i < 0 {
			return 0, 0, ""
		}
		open = at + i
		j := bytes.IndexByte(text[open:], ')')
		if j < 0 {
			return 0, 0, ""
		}
		if id, ok := kb.ParseID(string(text[open+1 : open+j])); ok {
			return open, open + j, id
		}
		at = open + 1
	}
}
