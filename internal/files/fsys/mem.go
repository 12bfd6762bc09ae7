package fsys

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Mem is a directory tree in memory that knows which parts survive a power
// failure: see CrashClone. It checks the owner's permission bits, so that tests
// can deny access regardless of the user who runs them.
type Mem struct {
	mu   sync.Mutex
	now  func() time.Time
	root *node
	// pending are the changes of names that SyncDir has not made durable yet, oldest first.
	pending []change
}

// node is a file, directory, link or device, independent of its names.
type node struct {
	mode   fs.FileMode
	mtime  time.Time
	target string // of a symbolic link

	data   []byte
	synced []byte // data as of the last Sync

	names   map[string]*node // of a directory, now
	durable map[string]*node // of a directory, without the pending changes
}

// change is one atomic change of names: a rename is one change of two names.
type change []edit

type edit struct {
	dir  *node
	name string
	to   *node // nil: the name is removed
}

// NewMem returns an empty tree with timestamps from the given clock.
func NewMem(now func() time.Time) *Mem {
	return &Mem{now: now, root: newDir(0o755, now())}
}

func newDir(perm fs.FileMode, mtime time.Time) *node {
	return &node{mode: fs.ModeDir | perm.Perm(), mtime: mtime, names: map[string]*node{}, durable: map[string]*node{}}
}

// apply makes one atomic change of names, visible at once and durable later.
func (m *Mem) apply(c change) {
	for _, e := range c {
		e.apply(e.dir.names)
		e.dir.mtime = m.now()
	}
	m.pending = append(m.pending, c)
}

func (e edit) apply(names map[string]*node) {
	if e.to == nil {
		delete(names, e.name)
		return
	}
	names[e.name] = e.to
}

// Open implements FS.
func (m *Mem) Open(name string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find(name, true)
	switch {
	case err == nil && !n.mode.IsRegular():
		err = ErrNotRegular
	case err == nil && n.mode&mayRead == 0:
		err = fs.ErrPermission
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &memFile{m: m, n: n, name: name}, nil
}

// Create implements FS.
func (m *Mem) Create(name string, perm fs.FileMode) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := &node{mode: perm.Perm(), mtime: m.now()}
	if err := m.add(name, n); err != nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: err}
	}
	return &memFile{m: m, n: n, name: name, writes: true}, nil
}

// Mkdir implements FS.
func (m *Mem) Mkdir(name string, perm fs.FileMode) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.add(name, newDir(perm, m.now())); err != nil {
		return &fs.PathError{Op: "mkdir", Path: name, Err: err}
	}
	return nil
}

// Symlink makes a symbolic link, for tests.
func (m *Mem) Symlink(target, name string) error {
	return m.Special(name, fs.ModeSymlink|0o777, target)
}

// Special makes a file of any type, such as fs.ModeNamedPipe, for tests.
func (m *Mem) Special(name string, mode fs.FileMode, target string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.add(name, &node{mode: mode, mtime: m.now(), target: target}); err != nil {
		return &fs.PathError{Op: "mknod", Path: name, Err: err}
	}
	return nil
}

// SetPerm sets the permission bits of a name, for tests.
func (m *Mem) SetPerm(name string, perm fs.FileMode) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find(name, true)
	if err != nil {
		return &fs.PathError{Op: "chmod", Path: name, Err: err}
	}
	n.mode = n.mode.Type() | perm.Perm()
	return nil
}

func (m *Mem) add(name string, n *node) error {
	dir, base, err := m.walk(name, false)
	if err != nil {
		return err
	}
	// Like the system, report an existing name before missing permissions.
	if base == "." || dir.names[base] != nil {
		return fs.ErrExist
	}
	if dir.mode&mayWrite == 0 {
		return fs.ErrPermission
	}
	m.apply(change{{dir, base, n}})
	return nil
}

// Lstat implements FS.
func (m *Mem) Lstat(name string) (fs.FileInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find(name, false)
	if err != nil {
		return nil, &fs.PathError{Op: "lstat", Path: name, Err: err}
	}
	return n.info(path.Base(name)), nil
}

// Readlink implements FS.
func (m *Mem) Readlink(name string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find(name, false)
	if err == nil && n.mode.Type() != fs.ModeSymlink {
		err = fs.ErrInvalid
	}
	if err != nil {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: err}
	}
	return n.target, nil
}

// ReadDir implements FS.
func (m *Mem) ReadDir(name string) ([]fs.DirEntry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find(name, true)
	switch {
	case err == nil && !n.mode.IsDir():
		err = syscall.ENOTDIR
	case err == nil && n.mode&mayRead == 0:
		err = fs.ErrPermission
	}
	if err != nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: err}
	}
	entries := make([]fs.DirEntry, 0, len(n.names))
	for base, child := range n.names {
		entries = append(entries, fs.FileInfoToDirEntry(child.info(base)))
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// Remove implements FS.
func (m *Mem) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, err := m.slot(name)
	if err == nil {
		err = removable(dir.names[base])
	}
	if err != nil {
		return &fs.PathError{Op: "remove", Path: name, Err: err}
	}
	m.apply(change{{dir, base, nil}})
	return nil
}

func removable(n *node) error {
	if n == nil {
		return fs.ErrNotExist
	}
	if len(n.names) > 0 {
		return syscall.ENOTEMPTY
	}
	return nil
}

// Rename implements FS.
func (m *Mem) Rename(old, new string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.rename(old, new); err != nil {
		return &os.LinkError{Op: "rename", Old: old, New: new, Err: err}
	}
	return nil
}

func (m *Mem) rename(old, new string) error {
	from, a, err := m.slot(old)
	if err != nil {
		return err
	}
	to, b, err := m.slot(new)
	if err != nil {
		return err
	}
	n, there := from.names[a], to.names[b]
	switch {
	case n == nil:
		return fs.ErrNotExist
	case n.holds(to):
		return fs.ErrInvalid // into itself
	case there != nil && there.mode.IsDir():
		return fs.ErrExist
	case n == there:
		return nil
	case there != nil && n.mode.IsDir():
		return syscall.ENOTDIR
	}
	m.apply(change{{from, a, nil}, {to, b, n}})
	return nil
}

// Exchange implements FS.
func (m *Mem) Exchange(a, b string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.exchange(a, b); err != nil {
		return &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
	}
	return nil
}

func (m *Mem) exchange(a, b string) error {
	dir, baseA, err := m.slot(a)
	if err != nil {
		return err
	}
	other, baseB, err := m.slot(b)
	if err != nil {
		return err
	}
	nodeA, nodeB := dir.names[baseA], other.names[baseB]
	switch {
	case nodeA == nil || nodeB == nil:
		return fs.ErrNotExist
	case dir != other || nodeA.mode.IsDir() || nodeB.mode.IsDir():
		return fs.ErrInvalid
	}
	m.apply(change{{dir, baseA, nodeB}, {dir, baseB, nodeA}})
	return nil
}

// holds reports whether dir is n or below it.
func (n *node) holds(dir *node) bool {
	if n == dir {
		return true
	}
	for _, child := range n.names {
		if child.holds(dir) {
			return true
		}
	}
	return false
}

// Link implements FS.
func (m *Mem) Link(old, new string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find(old, false)
	if err == nil && n.mode.IsDir() {
		err = fs.ErrPermission
	}
	if err == nil {
		err = m.add(new, n)
	}
	if err != nil {
		return &os.LinkError{Op: "link", Old: old, New: new, Err: err}
	}
	return nil
}

// SyncDir implements FS. A change that touches the directory also makes the earlier changes
// durable that it builds on, as in a journalling file system.
func (m *Mem) SyncDir(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, err := m.find(name, true)
	if err == nil && !dir.mode.IsDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return &fs.PathError{Op: "syncdir", Path: name, Err: err}
	}
	m.settle(func(e edit) bool { return e.dir == dir })
	return nil
}
