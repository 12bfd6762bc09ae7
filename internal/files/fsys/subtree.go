package fsys

import "errors"

// Tree is an FS that the caller closes.
type Tree interface {
	FS
	Close() error
}

// brancher is an FS that can open one of its directories as a Tree.
type brancher interface {
	OpenTree(dir string) (Tree, error)
}

// OpenTree opens an existing directory as its own tree, so that the path to it is resolved
// once for many files. It fails for a directory that is reached through a symbolic link, and
// with errors.ErrUnsupported if the file system is not a brancher.
func OpenTree(tree FS, dir string) (Tree, error) {
	b, ok := tree.(brancher)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	if err := checkParents(tree, dir); err != nil {
		return nil, err
	}
	return b.OpenTree(dir)
}

// OpenTree implements brancher.
func (d *Dir) OpenTree(dir string) (Tree, error) {
	local, err := localize("open", dir)
	if err != nil {
		return nil, err
	}
	root, err := d.root.OpenRoot(local)
	if err != nil {
		return nil, d.err("open", dir, err)
	}
	return &Dir{root: root, escapes: d.escapes}, nil
}
