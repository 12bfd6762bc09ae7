package space

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// maxIgnoreFile limits the size of a file to which lines are added, in bytes.
const maxIgnoreFile = 1 << 20

// AddLines adds missing lines to a file of a directory, such as an ignore file.
func AddLines(ctx context.Context, r *Registry, root, name string, lines []string) (err error) {
	if len(lines) == 0 {
		return nil
	}
	dir, err := fsys.OpenDir(root)
	if err != nil {
		return fsys.Explain(err, "open %s", root)
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	files := r.files(dir)
	old, _, err := fsys.ReadFile(ctx, files, name, maxIgnoreFile)
	pre := fsys.Unchanged(old)
	if errors.Is(err, fs.ErrNotExist) {
		old, pre, err = nil, fsys.Absent(), nil
	}
	if err != nil {
		return fsys.Explain(err, "read %s", filepath.Join(root, name))
	}
	has := strings.Split(strings.ReplaceAll(string(old), "\r\n", "\n"), "\n")
	text := string(old)
	for _, line := range lines {
		if slices.Contains(has, line) {
			continue
		}
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += line + "\n"
	}
	if text == string(old) {
		return nil
	}
	return fsys.Explain(fsys.WriteAtomic(ctx, files, name, []byte(text), pre, fsys.WriteOptions{}), "write %s", filepath.Join(root, name))
}
