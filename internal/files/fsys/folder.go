package fsys

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Folder is an open directory: names in it are found without resolving the path
// from the root each time. Its methods, except Close, are safe for concurrent
// use.
type Folder interface {
	// Each calls f with every name in the directory and its type, in no particular order.
	// The name is valid during the call only. Each may be called once. It fails as
	// FS.ReadDir does, possibly after some calls.
	Each(f func(name []byte, kind fs.FileMode)) error
	// Stat describes a name in the directory as FS.Lstat does.
	Stat(name string) (FileStat, error)
	// Readable opens a file in the directory for reading, and closes it. It fails as
	// FS.Open does; a symbolic link may fail, too.
	Readable(name string) error
	// Folder opens a subdirectory. It fails like FS.ReadDir for other names; a
	// symbolic link may fail, too, and is never followed out of the tree.
	Folder(name string) (Folder, error)
	Close() error
}

// FileStat describes a name in a Folder.
type FileStat struct {
	Type    fs.FileMode // type bits only
	Size    int64
	ModTime int64 // Unix nanoseconds
}

// opener is an FS with its own implementation of Folder.
type opener interface {
	OpenFolder(name string) (Folder, error)
}

// OpenFolder opens a directory of any file system. If the file system is not an opener, the
// directory is listed at once, with ReadDir.
func OpenFolder(tree FS, name string) (Folder, error) {
	if o, ok := tree.(opener); ok {
		return o.OpenFolder(name)
	}
	entries, err := tree.ReadDir(name)
	if err != nil {
		return nil, err
	}
	return &listed{tree, name, entries}, nil
}

// listed is a Folder with the entries returned by ReadDir.
type listed struct {
	tree    FS
	name    string
	entries []fs.DirEntry
}

func (l *listed) Each(f func(name []byte, kind fs.FileMode)) error {
	for _, e := range l.entries {
		f([]byte(e.Name()), e.Type())
	}
	return nil
}

func (l *listed) Stat(name string) (FileStat, error) {
	i, there := slices.BinarySearchFunc(l.entries, name, func(e fs.DirEntry, name string) int {
		return strings.Compare(e.Name(), name)
	})
	if !there {
		return FileStat{}, &fs.PathError{Op: "lstat", Path: path.Join(l.name, name), Err: fs.ErrNotExist}
	}
	info, err := l.entries[i].Info()
	if err != nil {
		return FileStat{}, err
	}
	return FileStat{Type: info.Mode().Type(), Size: info.Size(), ModTime: info.ModTime().UnixNano()}, nil
}

func (l *listed) Readable(name string) error {
	f, err := l.tree.Open(path.Join(l.name, name))
	if err != nil {
		return err
	}
	return f.Close()
}

func (l *listed) Folder(name string) (Folder, error) {
	return OpenFolder(l.tree, path.Join(l.name, name))
}

func (l *listed) Close() error { return nil }
