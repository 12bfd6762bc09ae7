package sqlite

import (
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// swap holds the names of the files of a replacement, in one directory.
type swap struct {
	Live string // the memory
	Part string // complete and durable; becomes the memory
	Kept string // new name of the previous Live

	Replaces bool     // whether Live exists
	Logs     []string // existing logs of Live that could not be merged into it
}

// swapIn replaces a database by another one, and keeps the old one. At any interruption Live
// is one of the two, complete, and the old one has a name.
func swapIn(files fsys.FS, n swap) error {
	if n.Replaces {
		if err := keep(files, n.Live, n.Kept); err != nil {
			return err
		}
	}
	// Only an unreadable or missing database has logs here. So there is no intact memory to
	// lose between this step and the next.
	for _, log := range n.Logs {
		to := n.Kept + strings.TrimPrefix(log, n.Live)
		if !n.Replaces {
			to = log + ".orphan"
		}
		if err := files.Rename(log, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := files.SyncDir("."); err != nil {
		return err
	}
	if err := files.Rename(n.Part, n.Live); err != nil {
		return err
	}
	return files.SyncDir(".")
}

// keep gives a file a second name, or copies it if there are no hard links.
func keep(files fsys.FS, name, second string) error {
	if err := files.Link(name, second); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return copyFile(files, name, second)
}

func copyFile(files fsys.FS, name, second string) (err error) {
	in, err := files.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := files.Create(second, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		err = errors.Join(err, files.Remove(second))
	}
	return err
}
