package fsys

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// flushable lists the types of file systems (linux/magic.h) whose syncfs(2) waits for the
// disk. FUSE is not among them: its syncfs does not ask the server.
var flushable = map[int64]bool{
	unix.EXT4_SUPER_MAGIC:  true, // and ext2, ext3
	unix.XFS_SUPER_MAGIC:   true,
	unix.BTRFS_SUPER_MAGIC: true,
	unix.F2FS_SUPER_MAGIC:  true,
	unix.TMPFS_MAGIC:       true,
}

// syncfsReports reports whether syncfs returns write errors, as it does since Linux 5.8.
var syncfsReports = sync.OnceValue(func() bool {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return false
	}
	return atLeast(unix.ByteSliceToString(u.Release[:]), 5, 8)
})

// atLeast reports whether the release of a kernel, such as 6.1.0-18-amd64, is at least a
// version.
func atLeast(release string, major, minor int) bool {
	first, rest, _ := strings.Cut(release, ".")
	a, errA := strconv.Atoi(first)
	b, errB := strconv.Atoi(rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))])
	return errA == nil && errB == nil && (a > major || a == major && b >= minor)
}

// flush is an open directory of each file system. Each descriptor reports the write errors
// since it was opened.
type flush []*os.File

// OpenFlush implements flusher by syncfs(2).
func (d *Dir) OpenFlush(dirs []string) (_ Flush, err error) {
	if !syncfsReports() {
		return nil, errors.ErrUnsupported
	}
	var out flush
	defer func() {
		if err != nil {
			err = errors.Join(err, out.Close())
		}
	}()
	devices := map[uint64]bool{}
	for _, name := range dirs {
		local, err := localize("open", name)
		if err != nil {
			return nil, err
		}
		f, err := d.root.OpenFile(local, os.O_RDONLY|unix.O_DIRECTORY|openNonblock, 0)
		if err != nil {
			return nil, d.err("open", name, err)
		}
		out = append(out, f)
		var st unix.Stat_t
		if err := unix.Fstat(int(f.Fd()), &st); err != nil {
			return nil, d.err("stat", name, err)
		}
		if devices[st.Dev] {
			out = out[:len(out)-1]
			if err := f.Close(); err != nil {
				return nil, d.err("close", name, err)
			}
			continue
		}
		devices[st.Dev] = true
		var system unix.Statfs_t
		if err := unix.Fstatfs(int(f.Fd()), &system); err != nil {
			return nil, d.err("statfs", name, err)
		}
		if !flushable[int64(uint32(system.Type))] {
			return nil, errors.ErrUnsupported
		}
	}
	return out, nil
}

func (f flush) Sync() error {
	for _, dir := range f {
		if err := unix.Syncfs(int(dir.Fd())); err != nil {
			return os.NewSyscallError("syncfs", err)
		}
	}
	return nil
}

func (f flush) Close() error {
	var errs []error
	for _, dir := range f {
		errs = append(errs, dir.Close())
	}
	return errors.Join(errs...)
}
