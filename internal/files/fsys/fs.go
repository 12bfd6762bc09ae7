package fsys

import (
	"errors"
	"io"
	"io/fs"
	"strings"
)

// FS is one directory tree. Names are slash-separated paths relative to its
// root, valid per fs.ValidPath; "." is the root. Any other name fails with
// fs.ErrInvalid.
//
// Symbolic links are followed while they stay inside the root; one that
// leaves it fails with ErrEscapes. Errors are *fs.PathError (or
// *os.LinkError) and answer errors.Is for fs.ErrNotExist, fs.ErrExist,
// fs.ErrPermission and the system's error numbers.
//
// Nothing is durable before the matching File.Sync (bytes) and SyncDir
// (names). All methods may be called from several goroutines at once.
type FS interface {
	// Open opens a regular file for reading. Anything else fails with
	// ErrNotRegular; a FIFO does not block.
	Open(name string) (File, error)
	// Create makes a new file for writing, with perm before the umask. An
	// existing name of any kind fails with fs.ErrExist.
	Create(name string, perm fs.FileMode) (File, error)
	// Lstat describes name itself, not the target of a link.
	Lstat(name string) (fs.FileInfo, error)
	// Readlink returns the text of a symbolic link, which may point anywhere.
	Readlink(name string) (string, error)
	// ReadDir lists a directory sorted by name, with each entry's Info (as
	// Lstat) already read. Entry names may be invalid UTF-8.
	ReadDir(name string) ([]fs.DirEntry, error)
	// Rename moves old to new, replacing an existing file. An existing
	// directory is never replaced: fs.ErrExist.
	Rename(old, new string) error
	// Exchange atomically swaps two files of one directory; a missing name
	// fails with fs.ErrNotExist. Without system support it fails with
	// errors.ErrUnsupported and changes nothing.
	Exchange(a, b string) error
	// Link gives the file old a second name. An existing new fails with
	// fs.ErrExist; a file system without hard links with any other error.
	Link(old, new string) error
	// Remove deletes a file, a link, or an empty directory.
	Remove(name string) error
	// Mkdir makes one directory, with perm before the umask.
	Mkdir(name string, perm fs.FileMode) error
	// SyncDir makes the names in a directory durable. It does nothing where
	// the system has no such call.
	SyncDir(name string) error
}

// File is an open file. Files from Open fail to write; files from Create
// fail to read.
type File interface {
	io.Reader
	io.Writer
	io.Closer
	Stat() (fs.FileInfo, error)
	// Chmod sets the permission bits, regardless of the umask.
	Chmod(perm fs.FileMode) error
	// Sync makes the file's bytes durable, not its name.
	Sync() error
}

var (
	// ErrEscapes means that a symbolic link in the path points out of the root.
	ErrEscapes = errors.New("path leads out of the directory")
	// ErrNotRegular means that a name is not a regular file.
	ErrNotRegular = errors.New("not a regular file")
	// ErrSymlink means that a write would go through a symbolic link.
	ErrSymlink = errors.New("path goes through a symbolic link")
	// ErrTooLarge means that a file exceeds the limit of ReadFile.
	ErrTooLarge = errors.New("file is too large")
	// ErrChanged means that a precondition failed.
	ErrChanged = errors.New("the file changed since it was read")
	// ErrNotDurable means that a change took place, but could not be flushed to
	// the disk: it is visible now and may be lost in a power failure.
	ErrNotDurable = errors.New("the change may be lost in a power failure")
)

// tempPrefix starts the name of every file that is not yet in its place. It
// is hidden, so that no scan and no other program takes it for a note.
const tempPrefix = ".cairn-tmp-"

// IsTemp reports whether WriteAtomic made the last element of name. After a
// crash such a file is litter; while a write runs it is in use.
func IsTemp(name string) bool {
	return strings.HasPrefix(name[strings.LastIndexByte(name, '/')+1:], tempPrefix)
}
