package watch

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
)

// Queue holds the changes of one directory tree that were not taken yet. Its methods may be
// called from several goroutines.
type Queue struct {
	root   string
	filter filter
	mounts int // /proc/self/mountinfo, which reports mounts through poll

	mu       sync.Mutex
	fd       int // inotify
	dirs     map[int32]string
	excluded fs.FileInfo     // git's private ignore file, as of the last whole listing
	whole    bool            // Take must ask for a whole listing
	beside   bool            // for Taken
	temps    map[string]bool // temporary files that were added but neither removed nor reported
	err      error           // why the queue is unreliable; nil if it is reliable
	buf      []byte
	released bool
}

// mask is every event that can change a listing or the content of a note.
const mask = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_MOVED_FROM | unix.IN_MOVED_TO |
	unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR | unix.IN_DONT_FOLLOW

// local lists the file systems that only this machine changes, and that report every change
// (linux/magic.h).
var local = map[int64]bool{
	unix.EXT4_SUPER_MAGIC:      true, // ext2, ext3 and ext4
	unix.XFS_SUPER_MAGIC:       true,
	unix.BTRFS_SUPER_MAGIC:     true,
	unix.F2FS_SUPER_MAGIC:      true,
	unix.BCACHEFS_SUPER_MAGIC:  true,
	unix.TMPFS_MAGIC:           true,
	unix.RAMFS_MAGIC:           true,
	unix.OVERLAYFS_SUPER_MAGIC: true,
	unix.MSDOS_SUPER_MAGIC:     true,
	unix.EXFAT_SUPER_MAGIC:     true,
	unix.REISERFS_SUPER_MAGIC:  true,
	unix.ECRYPTFS_SUPER_MAGIC:  true,
	0x2fc12fc1:                 true, // ZFS
	0x7366746e:                 true, // NTFS in the kernel (ntfs3)
	0x3153464a:                 true, // JFS
}

// statfs is replaced by tests, which cannot mount a file system.
var statfs = unix.Statfs

// Open starts to watch the tree at root, which is accessed through tree. A directory is
// watched when it is listed through Tree, which the first Take requests. Open fails with
// Unsupported if a queue would be incomplete.
func Open(root string, tree fsys.FS, rules vault.Rules) (*Queue, error) {
	if err := reportsChanges(root); err != nil {
		return nil, err
	}
	mounts, err := unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &Unsupported{Reason: "the list of mounts cannot be read (/proc/self/mountinfo)", cause: err}
	}
	q := &Queue{root: root, filter: newFilter(tree, rules), mounts: mounts, fd: -1, buf: make([]byte, 64<<10)}
	q.begin()
	if q.err != nil {
		return nil, errors.Join(q.err, q.Close())
	}
	return q, nil
}

// reportsChanges fails when a directory is on a file system that does not report all
// changes.
func reportsChanges(dir string) error {
	var st unix.Statfs_t
	for {
		err := statfs(dir, &st)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return &Unsupported{Reason: "the file system of the directory is not known", cause: err}
		}
		// The field is signed on some processors, and magics fill 32 bits.
		if local[int64(uint32(st.Type))] {
			return nil
		}
		kind, err := fsys.Network(dir)
		if err != nil || kind == "" {
			kind = "of an unknown kind"
		}
		return &Unsupported{Reason: "the file system (" + kind + ") does not report every change", cause: err}
	}
}

// begin replaces the set of watches by an empty one.
func (q *Queue) begin() {
	if q.fd >= 0 {
		// Nothing was written through it.
		_ = unix.Close(q.fd)
	}
	q.dirs, q.whole, q.err = map[int32]string{}, true, nil
	q.temps = map[string]bool{}
	var err error
	if q.fd, err = unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC); err != nil {
		q.fd = -1
		q.err = &Unsupported{Reason: Reason(err), cause: err}
	}
}

// Tree returns the tree for the listing that Take requested: each directory is watched
// before it is read.
func (q *Queue) Tree(tree fsys.FS) fsys.FS { return watching{tree, q} }

type watching struct {
	fsys.FS
	queue *Queue
}

func (w watching) ReadDir(name string) ([]fs.DirEntry, error) {
	w.queue.watch(name)
	return w.FS.ReadDir(name)
}

// OpenFolder implements the interface that fsys.OpenFolder uses to list a directory through
// descriptors.
func (w watching) OpenFolder(name string) (fsys.Folder, error) {
	w.queue.watch(name)
	f, err := fsys.OpenFolder(w.FS, name)
	if err != nil {
		return nil, err
	}
	return watched{f, name, w.queue}, nil
}

// watched is a folder of a tree that is being watched.
type watched struct {
	open
	name  string
	queue *Queue
}

type open = fsys.Folder

func (w watched) Folder(name string) (fsys.Folder, error) {
	at := path.Join(w.name, name)
	w.queue.watch(at)
	f, err := w.open.Folder(name)
	if err != nil {
		return nil, err
	}
	return watched{f, at, w.queue}, nil
}

// watch adds a directory. One that was removed or cannot be listed is skipped:
// its parent reports a change of that.
func (q *Queue) watch(name string) {
	if name != "." && vault.Hidden(name) && !vault.IsSidecarDir(name) {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err != nil || q.fd < 0 {
		return
	}
	dir := filepath.Join(q.root, filepath.FromSlash(name))
	wd, err := unix.InotifyAddWatch(q.fd, dir, mask)
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.EACCES):
		return
	case err != nil:
		q.err = &Unsupported{Reason: Reason(err), cause: err}
		return
	}
	if had, known := q.dirs[int32(wd)]; known && had != name {
		q.err = &Unsupported{Reason: "the directory has one of its directories at two places, by a mount"}
		return
	}
	q.dirs[int32(wd)] = name
	if q.err = reportsChanges(dir); errors.Is(q.err, fs.ErrNotExist) {
		q.err = nil // removed in the meantime, and its parent reports it
	}
}

// Err returns why the queue is unreliable, so that the directory has to be
// listed before each answer; nil when it is reliable. It is an Unsupported.
func (q *Queue) Err() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// Dirs counts the directories that are watched.
func (q *Queue) Dirs() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.dirs)
}

// Close stops watching.
func (q *Queue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.released {
		return nil
	}
	q.released, q.err = true, fs.ErrClosed
	err := unix.Close(q.mounts)
	if q.fd >= 0 {
		err = errors.Join(err, unix.Close(q.fd))
		q.fd = -1
	}
	return err
}

// Take returns the changes since the last call and forgets them. Every change that was
// complete before the call is in the result of this call or of an earlier one.
func (q *Queue) Take(ctx context.Context) Taken {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.fd < 0 {
		return Taken{Whole: true}
	}
	paths := map[string]bool{}
	q.beside = false
	anew := q.mountsChanged()
	for !anew {
		n, err := unix.Read(q.fd, q.buf)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if errors.Is(err, unix.EAGAIN) || err == nil && n == 0 {
			break
		}
		anew = err != nil || q.events(ctx, q.buf[:n], paths)
	}
	if anew {
		q.begin()
	}
	if now := q.filter.exclude(); !sameFile(q.excluded, now) {
		q.excluded, q.whole = now, true
	}
	if q.whole || len(paths) > maxPaths {
		q.whole = false
		clear(q.temps)
		q.filter.matcher.Forget()
		return Taken{Whole: true}
	}
	out := Taken{Paths: make([]string, 0, len(paths)), Beside: q.beside || len(q.temps) > 0}
	clear(q.temps)
	for p := range paths {
		out.Paths = append(out.Paths, p)
	}
	return out
}

// events classifies the events of a read from the queue. It reports whether the
// watches have to be rebuilt, because it is unknown which directories they
// watch.
func (q *Queue) events(ctx context.Context, b []byte, paths map[string]bool) (anew bool) {
	for len(b) >= unix.SizeofInotifyEvent {
		// struct inotify_event (inotify(7)): wd, mask, cookie, len, four bytes each,
		// and a name padded with NUL.
		wd := int32(binary.NativeEndian.Uint32(b))
		what := binary.NativeEndian.Uint32(b[4:])
		size := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(b[12:]))
		name, _, _ := bytes.Cut(b[unix.SizeofInotifyEvent:size], []byte{0})
		b = b[size:]
		dir, known := q.dirs[wd]
		if !known || what&(unix.IN_Q_OVERFLOW|unix.IN_UNMOUNT|unix.IN_IGNORED|unix.IN_DELETE_SELF|unix.IN_MOVE_SELF) != 0 {
			return true
		}
		if len(name) == 0 {
			q.whole = true // the permissions of the directory itself changed
			continue
		}
		at, isDir := path.Join(dir, string(name)), what&unix.IN_ISDIR != 0
		switch q.filter.kind(ctx, at, isDir) {
		case note:
			paths[at] = true
		case temp:
			switch {
			case what&(unix.IN_CREATE|unix.IN_MOVED_TO) != 0:
				q.temps[at] = true
			case what&(unix.IN_DELETE|unix.IN_MOVED_FROM) != 0:
				q.beside = q.beside || !q.temps[at] // it was reported before
				delete(q.temps, at)
			}
		case beside:
			if what&(unix.IN_CREATE|unix.IN_DELETE|unix.IN_MOVED_FROM|unix.IN_MOVED_TO) != 0 {
				q.beside = true
			}
		case directory:
			// The watched directory has moved to another name.
			if what&(unix.IN_MOVED_FROM|unix.IN_MOVED_TO) != 0 {
				return true
			}
			q.whole = true
		case ignoring:
			q.whole = true
		case sidecar:
			notes := q.filter.notesAt(at)
			for _, p := range notes {
				paths[p] = true
			}
			q.whole, q.beside = q.whole || len(notes) == 0, true
		}
	}
	return false
}

// mountsChanged reports whether something was mounted or unmounted anywhere,
// which may hide watched directories. The kernel reports it once to a reader of
// mountinfo (proc_pid_mountinfo(5)).
func (q *Queue) mountsChanged() bool {
	fds := []unix.PollFd{{Fd: int32(q.mounts), Events: unix.POLLPRI}}
	for {
		n, err := unix.Poll(fds, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return err != nil || n > 0
	}
}
