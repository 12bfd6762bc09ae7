package fsys

import (
	"io/fs"
	"path"
	"strings"
	"syscall"
)

// linksMax is how many symbolic links one path may go through (Linux: 40).
const linksMax = 40

// Owner's permission bits.
const (
	mayRead   fs.FileMode = 0o400
	mayWrite  fs.FileMode = 0o200
	maySearch fs.FileMode = 0o100
)

// walk finds the directory that holds the last element of name, and that
// element. Links on the way are followed, and the last one too if follow is
// set. The element need not exist; the root is returned as (root, ".").
func (m *Mem) walk(name string, follow bool) (dir *node, base string, err error) {
	if !fs.ValidPath(name) || strings.IndexByte(name, 0) >= 0 {
		return nil, "", fs.ErrInvalid
	}
	stack := []*node{m.root}
	todo := strings.Split(name, "/")
	links := 0
	for len(todo) > 0 {
		dir, part := stack[len(stack)-1], todo[0]
		todo = todo[1:]
		if dir.mode&maySearch == 0 {
			return nil, "", fs.ErrPermission
		}
		switch part {
		case ".", "":
			if len(todo) == 0 {
				return dir, ".", nil
			}
			continue
		case "..":
			if len(stack) == 1 {
				return nil, "", ErrEscapes
			}
			stack = stack[:len(stack)-1]
			if len(todo) == 0 {
				return stack[len(stack)-1], ".", nil
			}
			continue
		}
		next := dir.names[part]
		if next != nil && next.mode.Type() == fs.ModeSymlink && (follow || len(todo) > 0) {
			if links++; links > linksMax {
				return nil, "", syscall.ELOOP
			}
			if path.IsAbs(next.target) {
				return nil, "", ErrEscapes
			}
			todo = append(strings.Split(next.target, "/"), todo...)
			continue
		}
		if len(todo) == 0 {
			return dir, part, nil
		}
		if next == nil {
			return nil, "", fs.ErrNotExist
		}
		if !next.mode.IsDir() {
			return nil, "", syscall.ENOTDIR
		}
		stack = append(stack, next)
	}
	return stack[len(stack)-1], ".", nil
}

// find returns the node at name.
func (m *Mem) find(name string, follow bool) (*node, error) {
	dir, base, err := m.walk(name, follow)
	if err != nil {
		return nil, err
	}
	if base == "." {
		return dir, nil
	}
	n := dir.names[base]
	if n == nil {
		return nil, fs.ErrNotExist
	}
	return n, nil
}

// slot is find for a name that will be created, replaced or removed.
func (m *Mem) slot(name string) (dir *node, base string, err error) {
	dir, base, err = m.walk(name, false)
	switch {
	case err != nil:
		return nil, "", err
	case base == ".":
		return nil, "", fs.ErrInvalid
	case dir.mode&mayWrite == 0:
		return nil, "", fs.ErrPermission
	}
	return dir, base, nil
}
