package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// filteredFile, in the git directory, records for each file whose committed bytes come from
// a filter the blob id of the file's own bytes and of the committed ones. State uses it to
// see that such a file is unchanged without running the filter. Fields end with NUL: path in
// the work tree, own id, committed id.
const filteredFile = own + "/filtered"

// maxFiltered bounds the size of that file, and of a file compared by it.
const maxFiltered = 64 << 20

// filtered holds the blob ids of a file and of its filtered bytes.
type filtered struct{ own, committed string }

// filters reports whether a filter is configured.
func (r *Repo) filters() bool { return len(unfiltered(r.settings)) > 0 }

func (r *Repo) readFiltered() map[string]filtered {
	all := map[string]filtered{}
	if !r.filters() {
		return all
	}
	text, err := fsys.ReadRegular(filepath.Join(r.Dir, filepath.FromSlash(filteredFile)), maxFiltered)
	if err != nil {
		return all // then these files count as changed
	}
	listed := fields(text)
	for i := 0; i+2 < len(listed); i += 3 {
		all[listed[i]] = filtered{listed[i+1], listed[i+2]}
	}
	return all
}

// remember records the filtered ids of files; ids are the committed ones. If it cannot be
// written, these files count as changed.
func (w *workshop) remember(texts map[string][]byte, ids map[string]Entry) {
	if !w.r.filters() {
		return
	}
	had := w.r.readFiltered()
	now := maps.Clone(had)
	for p, text := range texts {
		at := w.r.Prefix + p
		id := ids[p].ID
		delete(now, at)
		if own := w.r.blobID(text); text != nil && id != "" && id != own {
			now[at] = filtered{own, id}
		}
	}
	if maps.Equal(had, now) {
		return
	}
	var b bytes.Buffer
	for _, at := range slices.Sorted(maps.Keys(now)) {
		b.WriteString(at + "\x00" + now[at].own + "\x00" + now[at].committed + "\x00")
	}
	_ = fsys.WriteAtomic(context.Background(), w.files, filteredFile, b.Bytes(), fsys.Any(), fsys.WriteOptions{})
}

// blobID returns the id of a blob with these bytes.
func (r *Repo) blobID(text []byte) string { return r.objectID("blob", text) }

// objectID returns the id of an object with these bytes.
func (r *Repo) objectID(kind string, text []byte) string {
	return hex.EncodeToString(r.sum(fmt.Appendf(nil, "%s %d\x00", kind, len(text)), text))
}

// sum returns the hash of bytes with which the repository names objects.
func (r *Repo) sum(parts ...[]byte) []byte {
	var h hash.Hash = sha1.New()
	if len(r.None) > 2*sha1.Size {
		h = sha256.New()
	}
	for _, part := range parts {
		h.Write(part)
	}
	return h.Sum(nil)
}

// asCommitted removes from Changed the files whose filtered bytes are what is committed: git
// status reports them when filters are off. indexed holds the index ids of files that
// differ from the index, where the index agrees with Head.
func (s *State) asCommitted(r *Repo, indexed map[string]string) {
	if len(indexed) == 0 {
		return
	}
	known := r.readFiltered()
	s.Changed = slices.DeleteFunc(s.Changed, func(p string) bool {
		f, ok := known[r.Prefix+p]
		if !ok || f.committed != indexed[p] {
			return false
		}
		text, err := fsys.ReadRegular(filepath.Join(r.Top, filepath.FromSlash(r.Prefix+p)), maxFiltered)
		return err == nil && r.blobID(text) == f.own
	})
}

// isRepository reports whether path can be a .git: a directory, or the file of a worktree
// or submodule. A FIFO or a device is neither, and is not opened.
func isRepository(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (info.IsDir() || info.Mode().IsRegular()) || errors.Is(err, fs.ErrPermission)
}

// isBare reports whether a directory looks like a bare repository.
func isBare(dir string) bool {
	return fsys.Exists(filepath.Join(dir, "HEAD")) && fsys.Exists(filepath.Join(dir, "objects")) && fsys.Exists(filepath.Join(dir, "refs"))
}

// Above returns the directory in which git finds the repository of a directory that may not
// exist yet, "" for none.
func Above(dir string) string {
	top, _ := topOf(dir)
	return top
}

// topOf returns the directory in which git finds the repository of dir, "" for none.
func topOf(dir string) (top string, bare bool) {
	for {
		switch {
		case isRepository(filepath.Join(dir, ".git")):
			return dir, false
		case isBare(dir):
			return dir, true
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", false
		}
		dir = above
	}
}

// local makes a local address absolute: git resolves one from the top of the work tree.
func (t *Tree) local(address string) string {
	if _, far := parsed(address); far || strings.Contains(address, "://") || filepath.IsAbs(address) {
		return address
	}
	top, _ := topOf(t.Dir)
	if top == "" {
		top = t.Dir
	}
	return filepath.Join(top, filepath.FromSlash(address))
}
