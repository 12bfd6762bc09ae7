package space

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
)

// layout records how the directories of a memory's spaces are nested.
type layout struct {
	spaces []kb.Space          // those with a directory
	around map[int64][]nesting // by row; nil until a space is opened
}

// nesting is another space with a directory inside or above that of a space; see
// write.Around for the paths.
type nesting struct {
	space        kb.Space
	above, below string
}

// aroundOf returns the spaces around each of these.
func aroundOf(spaces []kb.Space, mounts fsys.Mounts) map[int64][]nesting {
	around := map[int64][]nesting{}
	add := func(row int64, n nesting) {
		if !slices.ContainsFunc(around[row], func(o nesting) bool { return o.space.Row == n.space.Row && o.above == n.above && o.below == n.below }) {
			around[row] = append(around[row], n)
		}
	}
	infos := make([]os.FileInfo, len(spaces))
	for i, s := range spaces {
		infos[i], _ = os.Stat(s.Root) // an unavailable one is compared by its path
	}
	for i, inner := range spaces {
		at := inner.Root
		if real, err := filepath.EvalSymlinks(at); err == nil {
			at = real // the path was resolved to this one before
		}
		for _, at := range append(mounts.Others(at), at) {
			for dir, rel := at, "."; ; dir, rel = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rel) {
				info, err := os.Stat(dir)
				for j, outer := range spaces {
					if i == j || outer.Root != dir && (err != nil || infos[j] == nil || !os.SameFile(info, infos[j])) {
						continue
					}
					in := filepath.ToSlash(rel)
					if in == "." {
						in = "" // one directory under two paths, found from both sides
					} else {
						add(outer.Row, nesting{space: inner, below: in})
					}
					add(inner.Row, nesting{space: outer, above: in})
				}
				if filepath.Dir(dir) == dir {
					break
				}
			}
		}
	}
	return around
}

// setSpaces records the existing spaces, as read by a caller. Requests read them
// before they open a space, so that the rules of all spaces that contain a file are
// available without another read.
func (h *Handles) setSpaces(all []kb.Space) {
	h.layoutMu.Lock()
	defer h.layoutMu.Unlock()
	n := 0
	for _, s := range all {
		if s.Kind != kb.DirectorySpace {
			continue
		}
		if h.layout == nil || n == len(h.layout.spaces) || !alike(s, h.layout.spaces[n]) {
			n = -1
			break
		}
		n++
	}
	if h.layout != nil && n == len(h.layout.spaces) {
		return
	}
	h.layout = &layout{spaces: slices.DeleteFunc(slices.Clone(all), func(s kb.Space) bool { return s.Kind != kb.DirectorySpace })}
}

// alike reports whether the rules of two rows apply to the same files.
func alike(x, y kb.Space) bool {
	return x.Row == y.Row && same(x, y) && x.Origin == y.Origin && bytes.Equal(x.Accepted, y.Accepted) && bytes.Equal(x.Policy, y.Policy) && (x.Policy == nil) == (y.Policy == nil)
}

// nested returns the spaces around a space; ok is false for an unknown space.
func (h *Handles) nested(s kb.Space) (around []nesting, ok bool) {
	h.layoutMu.Lock()
	defer h.layoutMu.Unlock()
	if h.layout == nil || !slices.ContainsFunc(h.layout.spaces, func(o kb.Space) bool { return o.Row == s.Row && o.Root == s.Root }) {
		return nil, false
	}
	if h.layout.around == nil {
		var mounts fsys.Mounts
		if len(h.layout.spaces) > 1 {
			mounts = fsys.ReadMounts()
		}
		h.layout.around = aroundOf(h.layout.spaces, mounts)
	}
	return h.layout.around[s.Row], true
}

// withAround returns an open space with the other spaces that contain its files.
// The caller holds the lock of the handles.
func (r *Registry) withAround(ctx context.Context, space *write.Space, nested []nesting) (*write.Space, error) {
	if len(nested) == 0 {
		return space, nil
	}
	around := make([]write.Around, 0, len(nested))
	for _, n := range nested {
		a := write.Around{Name: n.space.Name, Above: n.above, Below: n.below}
		if n.below != "" {
			if _, err := os.Stat(n.space.Root); err != nil && !os.IsPermission(err) {
				continue // it is unavailable, and so are its files
			}
		}
		a.Space, a.Err = r.openOne(ctx, n.space)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		around = append(around, a)
	}
	out := *space
	out.Around = around
	return &out, nil
}
