//go:build linux && (amd64 || arm64)

package fsys

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// OpenFolder opens a directory by a descriptor.
func (d *Dir) OpenFolder(name string) (Folder, error) {
	local, err := localize("readdir", name)
	if err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(local, os.O_RDONLY|unix.O_DIRECTORY|openNonblock, 0)
	if err != nil {
		return nil, d.err("readdir", name, err)
	}
	return &descriptor{fd: int(f.Fd()), file: f, name: name}, nil
}

// descriptor is an open directory.
type descriptor struct {
	fd   int
	file *os.File // owner of fd; nil if there is none
	name string
}

// listBytes is the size of the buffer of getdents(2), enough for about 700 names.
const listBytes = 32 << 10

var listBuffers = sync.Pool{New: func() any { return new([listBytes]byte) }}

// Offsets in struct linux_dirent64 (getdents(2)): the length of the entry, its
// type and its name.
const (
	direntLength = 16
	direntType   = 18
	direntName   = 19
)

func (d *descriptor) Each(f func(name []byte, kind fs.FileMode)) error {
	buf := listBuffers.Get().(*[listBytes]byte)
	defer listBuffers.Put(buf)
	for {
		n, err := unix.Getdents(d.fd, buf[:])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return d.err("readdir", "", err)
		case n <= 0:
			return nil
		}
		for b := buf[:n]; len(b) > direntName; {
			length := int(binary.NativeEndian.Uint16(b[direntLength:]))
			if length <= direntName || length > len(b) {
				return d.err("readdir", "", unix.EIO)
			}
			entry, inode := b[direntName:length], binary.NativeEndian.Uint64(b)
			kind := b[direntType]
			b = b[length:]
			if end := bytes.IndexByte(entry, 0); end >= 0 {
				entry = entry[:end]
			}
			if inode == 0 || string(entry) == "." || string(entry) == ".." {
				continue
			}
			mode := typeOf(kind)
			if mode == fs.ModeIrregular { // some file systems do not report it
				st, err := d.Stat(string(entry))
				if errors.Is(err, fs.ErrNotExist) {
					continue
				}
				if err != nil {
					return err
				}
				mode = st.Type
			}
			f(entry, mode)
		}
	}
}

// typeOf is the type of a directory entry (readdir(3)).
func typeOf(kind byte) fs.FileMode {
	switch kind {
	case unix.DT_REG:
		return 0
	case unix.DT_DIR:
		return fs.ModeDir
	case unix.DT_LNK:
		return fs.ModeSymlink
	case unix.DT_FIFO:
		return fs.ModeNamedPipe
	case unix.DT_SOCK:
		return fs.ModeSocket
	case unix.DT_BLK:
		return fs.ModeDevice
	case unix.DT_CHR:
		return fs.ModeDevice | fs.ModeCharDevice
	}
	return fs.ModeIrregular
}

// statCall holds the arguments of fstatat for reuse: unix.Fstatat allocates the
// name each time.
type statCall struct {
	name [unix.NAME_MAX + 1]byte
	st   unix.Stat_t
}

var statCalls = sync.Pool{New: func() any { return new(statCall) }}

func (d *descriptor) Stat(name string) (FileStat, error) {
	c := statCalls.Get().(*statCall)
	defer statCalls.Put(c)
	if len(name) >= len(c.name) {
		return FileStat{}, d.err("lstat", name, unix.ENAMETOOLONG)
	}
	c.name[copy(c.name[:], name)] = 0
	for {
		_, _, errno := unix.Syscall6(unix.SYS_NEWFSTATAT, uintptr(d.fd), uintptr(unsafe.Pointer(&c.name[0])),
			uintptr(unsafe.Pointer(&c.st)), unix.AT_SYMLINK_NOFOLLOW, 0, 0)
		switch errno {
		case 0:
			// The d_type of a directory entry is the type in st_mode, shifted by 12 bits.
			kind := typeOf(byte(c.st.Mode & unix.S_IFMT >> 12))
			return FileStat{Type: kind, Size: c.st.Size, ModTime: unix.TimespecToNsec(c.st.Mtim)}, nil
		case unix.EINTR:
		default:
			return FileStat{}, d.err("lstat", name, errno)
		}
	}
}

func (d *descriptor) Readable(name string) error {
	fd, err := d.open("open", name, 0)
	if err == nil {
		_ = unix.Close(fd) // nothing was read
	}
	return err
}

func (d *descriptor) Folder(name string) (Folder, error) {
	fd, err := d.open("readdir", name, unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	return &descriptor{fd: fd, name: path.Join(d.name, name)}, nil
}

func (d *descriptor) open(op, name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC|flags, 0)
		switch {
		case err == nil:
			return fd, nil
		case !errors.Is(err, unix.EINTR):
			return 0, d.err(op, name, err)
		}
	}
}

func (d *descriptor) Close() error {
	if d.file != nil {
		return d.file.Close()
	}
	// Nothing was written through it.
	_ = unix.Close(d.fd)
	return nil
}

func (d *descriptor) err(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: path.Join(d.name, name), Err: err}
}
