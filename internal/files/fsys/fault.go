package fsys

import (
	"errors"
	"io/fs"
	"sync"
)

// ErrCrashed is the error of every call after the stop that Fault.CrashAt asked for.
var ErrCrashed = errors.New("stopped by the test")

// Call is one call to a file system or an open file.
type Call struct {
	N    int    // from 1
	Op   string // the method in lower case: "open", "write", "syncdir"
	Name string // the path; the old one of a rename or link
}

// Fault passes calls on to another FS, and fails some of them.
type Fault struct {
	inner FS

	mu      sync.Mutex
	calls   []Call
	rules   []rule
	crashAt int
}

type rule struct {
	match func(Call) bool
	err   error
}

// NewFault returns a Fault that fails nothing yet.
func NewFault(inner FS) *Fault { return &Fault{inner: inner} }

// FailAt makes the n-th call fail with err. A failed call does nothing, but a
// failed write leaves half of its bytes, as a full disk does.
func (f *Fault) FailAt(n int, err error) {
	f.FailIf(func(c Call) bool { return c.N == n }, err)
}

// FailIf makes the calls that match fail with err.
func (f *Fault) FailIf(match func(Call) bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rules = append(f.rules, rule{match, err})
}

// CrashAt makes the n-th call and all after it fail with ErrCrashed and do
// nothing, as if the process had stopped just before it.
func (f *Fault) CrashAt(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.crashAt = n
}

// Calls returns all calls so far. A test that stops at the n-th call for n = 1, 2, … has
// covered them all when fewer than n calls were made.
func (f *Fault) Calls() []Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Call(nil), f.calls...)
}

func (f *Fault) enter(op, name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := Call{N: len(f.calls) + 1, Op: op, Name: name}
	f.calls = append(f.calls, c)
	err := error(nil)
	if f.crashAt > 0 && c.N >= f.crashAt {
		err = ErrCrashed
	}
	for _, r := range f.rules {
		if err == nil && r.match(c) {
			err = r.err
		}
	}
	if err != nil {
		return &fs.PathError{Op: op, Path: name, Err: err}
	}
	return nil
}

// Open implements FS.
func (f *Fault) Open(name string) (File, error) {
	if err := f.enter("open", name); err != nil {
		return nil, err
	}
	return f.file(name)(f.inner.Open(name))
}

// Create implements FS.
func (f *Fault) Create(name string, perm fs.FileMode) (File, error) {
	if err := f.enter("create", name); err != nil {
		return nil, err
	}
	return f.file(name)(f.inner.Create(name, perm))
}

func (f *Fault) file(name string) func(File, error) (File, error) {
	return func(inner File, err error) (File, error) {
		if err != nil {
			return nil, err
		}
		return &faultFile{f, inner, name}, nil
	}
}

// Lstat implements FS.
func (f *Fault) Lstat(name string) (fs.FileInfo, error) {
	if err := f.enter("lstat", name); err != nil {
		return nil, err
	}
	return f.inner.Lstat(name)
}

// Readlink implements FS.
func (f *Fault) Readlink(name string) (string, error) {
	if err := f.enter("readlink", name); err != nil {
		return "", err
	}
	return f.inner.Readlink(name)
}

// ReadDir implements FS.
func (f *Fault) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := f.enter("readdir", name); err != nil {
		return nil, err
	}
	return f.inner.ReadDir(name)
}

// Rename implements FS.
func (f *Fault) Rename(old, new string) error {
	if err := f.enter("rename", old); err != nil {
		return err
	}
	return f.inner.Rename(old, new)
}

// Exchange implements FS.
func (f *Fault) Exchange(a, b string) error {
	if err := f.enter("exchange", b); err != nil {
		return err
	}
	return f.inner.Exchange(a, b)
}

// Link implements FS.
func (f *Fault) Link(old, new string) error {
	if err := f.enter("link", old); err != nil {
		return err
	}
	return f.inner.Link(old, new)
}

// Remove implements FS.
func (f *Fault) Remove(name string) error {
	if err := f.enter("remove", name); err != nil {
		return err
	}
	return f.inner.Remove(name)
}

// Mkdir implements FS.
func (f *Fault) Mkdir(name string, perm fs.FileMode) error {
	if err := f.enter("mkdir", name); err != nil {
		return err
	}
	return f.inner.Mkdir(name, perm)
}

// SyncDir implements FS.
func (f *Fault) SyncDir(name string) error {
	if err := f.enter("syncdir", name); err != nil {
		return err
	}
	return f.inner.SyncDir(name)
}

type faultFile struct {
	f     *Fault
	inner File
	name  string
}

func (f *faultFile) Read(p []byte) (int, error) {
	if err := f.f.enter("read", f.name); err != nil {
		return 0, err
	}
	return f.inner.Read(p)
}

func (f *faultFile) Write(p []byte) (int, error) {
	if err := f.f.enter("write", f.name); err != nil {
		if errors.Is(err, ErrCrashed) {
			return 0, err
		}
		n, werr := f.inner.Write(p[:len(p)/2])
		return n, errors.Join(err, werr)
	}
	return f.inner.Write(p)
}

func (f *faultFile) Stat() (fs.FileInfo, error) {
	if err := f.f.enter("stat", f.name); err != nil {
		return nil, err
	}
	return f.inner.Stat()
}

func (f *faultFile) Chmod(perm fs.FileMode) error {
	if err := f.f.enter("chmod", f.name); err != nil {
		return err
	}
	return f.inner.Chmod(perm)
}

func (f *faultFile) Sync() error {
	if err := f.f.enter("sync", f.name); err != nil {
		return err
	}
	return f.inner.Sync()
}

// Close closes the inner file in any case: a process that stops or a close
// that fails leaves no open file either.
func (f *faultFile) Close() error {
	return errors.Join(f.f.enter("close", f.name), f.inner.Close())
}
