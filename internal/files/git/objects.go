package git

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// Most of the time of a commit is the start of git processes. The objects of an ordinary
// commit are made here: blobs of files that git takes as they are, and trees from those of
// the commit before. Whatever is not ordinary is left to git; see errNotPlain.

// errNotPlain means that git has to make an object.
var errNotPlain = errors.New("it is not made here")

// content is what a commit has at its paths.
type content struct {
	before, made map[string]Entry
	tree         string // "" where the index of the workshop has it
}

// contentOf is the content of a commit with these blobs at its paths. A file may be run if it
// could be before.
func contentOf(before map[string]Entry, ids map[string]string) *content {
	made := map[string]Entry{}
	for p, id := range ids {
		mode := plainFile
		if before[p].Mode == executable {
			mode = executable
		}
		made[p] = Entry{mode, id}
	}
	return &content{before: before, made: made}
}

// writesObjects reports whether objects may be written here. One that others of a group
// read, or that has a second name, is left to git.
func (r *Repo) writesObjects() bool {
	return !slices.ContainsFunc(r.settings, func(s setting) bool {
		return s.key == "core.sharedrepository" && s.value != "umask" && s.value != "false" || s.key == "extensions.compatobjectformat"
	})
}

// plainContent makes blobs and trees of a commit on top of another one without an index.
// It fails with errNotPlain where an index is needed.
func (w *workshop) plainContent(ctx context.Context, c Commit, head string, paths []string) (*content, error) {
	sees := !c.SkipHook && (w.hooked("pre-commit") || w.worded())
	if sees || !w.r.writesObjects() {
		return nil, errNotPlain
	}
	var trees map[string][]treeEntry
	var ids map[string]string
	g, all := errgroup.WithContext(ctx)
	g.Go(func() (err error) { trees, err = w.trees(all, head, paths); return err })
	g.Go(func() (err error) { ids, err = w.blobs(all, c.Changes); return err })
	if err := g.Wait(); err != nil {
		return nil, err
	}
	before := map[string]Entry{}
	for _, p := range paths {
		at := w.r.Prefix + p
		list := trees[above(at)]
		if i, ok := find(list, path.Base(at)); ok {
			if list[i].mode == treeMode {
				return nil, errNotPlain // a file takes the place of a directory
			}
			before[p] = Entry{list[i].mode, list[i].id}
		}
	}
	out := contentOf(before, ids)
	if maps.Equal(out.made, out.before) {
		return out, nil
	}
	var err error
	out.tree, err = w.plant(trees, paths, out.made)
	return out, err
}

// plainBlobs returns the paths of the changes that git commits with the bytes that they have
// in the work tree. One process hashes those that may be converted, as git would add them.
func (w *workshop) plainBlobs(ctx context.Context, changes []Change) (map[string]bool, error) {
	out := map[string]bool{}
	if w.r.Prefix != "" || w.r.filters() || !w.r.writesObjects() {
		return out, nil
	}
	var in bytes.Buffer
	var asked []Change
	for _, ch := range changes {
		if ch.New != nil && w.verbatim(ch) {
			out[ch.Path] = true
		} else if ch.New != nil && !strings.ContainsAny(ch.Path, "\n\r\"") {
			asked = append(asked, ch)
			in.WriteString(ch.Path + "\n")
		}
	}
	if len(asked) == 0 {
		return out, nil
	}
	answer, err := w.t.git(ctx, run{args: []string{"hash-object", "--stdin-paths"}, stdin: in.Bytes()})
	if err != nil { // one of the files is gone: each by itself
		return out, ctx.Err()
	}
	ids := strings.Fields(string(answer))
	for i, ch := range asked {
		out[ch.Path] = len(ids) == len(asked) && ids[i] == w.r.blobID(ch.New)
	}
	return out, nil
}

// treeEntry is a line of a tree. Its mode is as in the tree.
type treeEntry struct{ mode, name, id string }

const treeMode = "40000"

// order is that of the entries of a tree: a directory as if its name ended in a slash.
func (e treeEntry) order() string {
	if e.mode == treeMode {
		return e.name + "/"
	}
	return e.name
}

// find returns where a name is in a tree.
func find(list []treeEntry, name string) (int, bool) {
	i := slices.IndexFunc(list, func(e treeEntry) bool { return e.name == name })
	return i, i >= 0
}

// above is the directory of a path in the work tree, "" for the top.
func above(p string) string {
	if dir := path.Dir(p); dir != "." {
		return dir
	}
	return ""
}

// trees reads the directories of paths of the Tree in a commit, with those above them.
func (w *workshop) trees(ctx context.Context, commit string, paths []string) (map[string][]treeEntry, error) {
	out := map[string][]treeEntry{"": nil}
	for _, p := range paths {
		for dir := above(w.r.Prefix + p); dir != ""; dir = above(dir) {
			out[dir] = nil
		}
	}
	if commit == "" {
		return out, nil
	}
	if known := w.r.read.take(commit, w.r.Paths(paths)); known != nil {
		return known, nil
	}
	var dirs []string
	var in bytes.Buffer
	for dir := range out {
		if strings.Contains(dir, "\n") {
			return nil, errNotPlain
		}
		dirs = append(dirs, dir)
		fmt.Fprintf(&in, "%s:%s\n", commit, dir)
	}
	answer, err := w.t.git(ctx, run{args: []string{"cat-file", "--batch"}, stdin: in.Bytes()})
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		head, rest, _ := bytes.Cut(answer, []byte("\n"))
		answer = rest
		if dir != "" && bytes.HasSuffix(head, []byte(" missing")) {
			continue
		}
		about := strings.Fields(string(head))
		if len(about) != 3 || about[1] != "tree" {
			return nil, errNotPlain
		}
		size, err := strconv.Atoi(about[2])
		if err != nil || size < 0 || size+1 > len(answer) {
			return nil, errNotPlain
		}
		list, ok := w.r.readTree(answer[:size])
		if !ok {
			return nil, errNotPlain
		}
		out[dir], answer = list, answer[size+1:]
	}
	return out, nil
}

// readTree reads the bytes of a tree.
func (r *Repo) readTree(text []byte) (list []treeEntry, ok bool) {
	size := len(r.None) / 2
	for len(text) > 0 {
		head, rest, found := bytes.Cut(text, []byte{0})
		mode, name, both := strings.Cut(string(head), " ")
		if !found || !both || len(rest) < size || strings.HasPrefix(mode, "100") && mode != plainFile && mode != executable {
			return nil, false // a file of another mode is from an early git, and is read as if it had one of these
		}
		list = append(list, treeEntry{mode, name, hex.EncodeToString(rest[:size])})
		text = rest[size:]
	}
	return list, true
}

// plant writes the trees with the files at the paths, and no others there, and returns
// the id of the top.
func (w *workshop) plant(trees map[string][]treeEntry, paths []string, files map[string]Entry) (string, error) {
	put := func(at, mode, id string) bool { // without an id: none
		list, with := trees[above(at)], treeEntry{mode, path.Base(at), id}
		i, had := find(list, with.name)
		switch {
		case id == "" && had:
			list = slices.Delete(list, i, i+1)
		case id == "":
		case had && (list[i].mode == treeMode) != (mode == treeMode):
			return false // a directory takes the place of a file
		case had:
			list[i] = with
		default:
			i, _ = slices.BinarySearchFunc(list, with, func(a, b treeEntry) int { return cmp.Compare(a.order(), b.order()) })
			list = slices.Insert(list, i, with)
		}
		trees[above(at)] = list
		return true
	}
	for _, p := range paths {
		if !put(w.r.Prefix+p, files[p].Mode, files[p].ID) {
			return "", errNotPlain
		}
	}
	var dirs []string
	for dir := range trees {
		dirs = append(dirs, dir)
	}
	// The deepest first: those above need their ids.
	slices.SortFunc(dirs, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	for _, dir := range dirs {
		if dir == "" {
			break
		}
		id := ""
		if len(trees[dir]) > 0 {
			var err error
			if id, err = w.writeTree(trees[dir]); err != nil {
				return "", err
			}
		}
		if !put(dir, treeMode, id) {
			return "", errNotPlain
		}
	}
	return w.writeTree(trees[""])
}

func (w *workshop) writeTree(list []treeEntry) (string, error) {
	var b bytes.Buffer
	for _, e := range list {
		id, err := hex.DecodeString(e.id)
		if err != nil {
			return "", errNotPlain
		}
		b.WriteString(e.mode + " " + e.name + "\x00")
		b.Write(id)
	}
	return w.write("tree", b.Bytes())
}

// compressors are kept for the next object: each has a megabyte of tables.
var compressors = sync.Pool{New: func() any {
	z, err := zlib.NewWriterLevel(nil, zlib.BestSpeed)
	if err != nil {
		panic(err) // there is no such level
	}
	return z
}}

// write writes an object and returns its id. One that exists gets the time of now, so that
// no git that runs meanwhile takes it for an old one that nothing needs.
func (w *workshop) write(kind string, text []byte) (id string, err error) {
	id = w.r.objectID(kind, text)
	objects, err := fsys.OpenDir(filepath.Join(w.r.Common, "objects"))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, objects.Close()) }()
	dir := id[:2]
	name := path.Join(dir, id[2:])
	if err := objects.Mkdir(dir, 0o777); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	temp := path.Join(dir, "tmp_obj_"+rand.Text()[:6]) // git removes those that were left
	f, err := objects.Create(temp, 0o444)
	if err != nil {
		return "", err
	}
	z := compressors.Get().(*zlib.Writer)
	defer compressors.Put(z)
	z.Reset(f)
	_, err = fmt.Fprintf(z, "%s %d\x00", kind, len(text))
	if err == nil {
		_, err = z.Write(text)
	}
	if err == nil {
		err = z.Close()
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		if err = objects.Rename(temp, name); err == nil {
			return id, nil
		}
		if _, there := objects.Lstat(name); there == nil { // Windows replaces none that is read-only
			err = nil
		}
	}
	return id, errors.Join(err, objects.Remove(temp))
}
