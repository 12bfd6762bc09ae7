package fsys

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"syscall"
	"time"
)

// memFile is an open file of a Mem. Like a descriptor it stays on its file
// when the file is renamed or removed.
type memFile struct {
	m      *Mem
	n      *node
	name   string
	off    int
	writes bool
	closed bool
}

func (f *memFile) begin(op string, writes bool) error {
	switch {
	case f.closed:
		return &fs.PathError{Op: op, Path: f.name, Err: fs.ErrClosed}
	case f.writes != writes:
		return &fs.PathError{Op: op, Path: f.name, Err: syscall.EBADF}
	}
	return nil
}

func (f *memFile) Read(p []byte) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.begin("read", false); err != nil {
		return 0, err
	}
	if f.off >= len(f.n.data) {
		return 0, io.EOF
	}
	n := copy(p, f.n.data[f.off:])
	f.off += n
	return n, nil
}

func (f *memFile) Write(p []byte) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.begin("write", true); err != nil {
		return 0, err
	}
	f.n.data = append(f.n.data, p...)
	f.n.mtime = f.m.now()
	return len(p), nil
}

func (f *memFile) Stat() (fs.FileInfo, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.begin("stat", f.writes); err != nil {
		return nil, err
	}
	return f.n.info(path.Base(f.name)), nil
}

func (f *memFile) Chmod(perm fs.FileMode) error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.begin("chmod", f.writes); err != nil {
		return err
	}
	f.n.mode = f.n.mode.Type() | perm.Perm()
	return nil
}

func (f *memFile) Sync() error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.begin("sync", f.writes); err != nil {
		return err
	}
	f.n.synced = slices.Clone(f.n.data)
	return nil
}

func (f *memFile) Close() error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.begin("close", f.writes); err != nil {
		return err
	}
	f.closed = true
	return nil
}

// memInfo is a description as of one moment.
type memInfo struct {
	name  string
	mode  fs.FileMode
	size  int64
	mtime time.Time
}

func (n *node) info(name string) memInfo {
	size := int64(len(n.data))
	if n.target != "" {
		size = int64(len(n.target))
	}
	return memInfo{name: name, mode: n.mode, size: size, mtime: n.mtime}
}

func (i memInfo) Name() string       { return i.name }
func (i memInfo) Size() int64        { return i.size }
func (i memInfo) Mode() fs.FileMode  { return i.mode }
func (i memInfo) ModTime() time.Time { return i.mtime }
func (i memInfo) IsDir() bool        { return i.mode.IsDir() }
func (i memInfo) Sys() any           { return nil }
