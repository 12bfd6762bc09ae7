package terminal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// Copy is the file that an editor opens. Close ends its use.
type Copy struct {
	dir  *fsys.Dir
	name string
}

// NewCopy writes text to a new file in a directory that only its owner can read.
// Its name holds that of the page's file.
func NewCopy(ctx context.Context, tempDir, file string, text []byte) (*Copy, error) {
	dir, err := fsys.OpenDir(tempDir)
	if err != nil {
		return nil, fsys.Explain(err, "open %s", tempDir)
	}
	base := strings.TrimSuffix(file, path.Ext(file))
	for n := 1; ; n++ {
		c := &Copy{dir: dir, name: fmt.Sprintf("cairn-%s-%d%s", base, n, path.Ext(file))}
		err := fsys.WriteAtomic(ctx, dir, c.name, text, fsys.Absent(), fsys.WriteOptions{Perm: 0o600})
		if err == nil {
			return c, nil
		}
		taken := errors.Is(err, fs.ErrExist) || errors.Is(err, fsys.ErrChanged)
		if !taken || n == 100 { // so many copies were kept after conflicts
			return nil, errors.Join(fsys.Explain(err, "write %s", c.Path()), dir.Close())
		}
	}
}

// Path is where the file is.
func (c *Copy) Path() string { return filepath.Join(c.dir.Path(), c.name) }

// Read returns what the file holds, also when ctx is done.
func (c *Copy) Read(ctx context.Context) ([]byte, error) {
	text, _, err := fsys.ReadFile(context.WithoutCancel(ctx), c.dir, c.name, MaxInput)
	if err != nil {
		return nil, fsys.Explain(err, "read %s", c.Path())
	}
	return text, nil
}

// Remove deletes the file, also when ctx is done.
func (c *Copy) Remove(ctx context.Context) error {
	if err := fsys.RemoveDurable(context.WithoutCancel(ctx), c.dir, c.name, fsys.Any()); err != nil {
		return fsys.Explain(err, "remove %s", c.Path())
	}
	return nil
}

// Close leaves the file where it is.
func (c *Copy) Close() error { return c.dir.Close() }
