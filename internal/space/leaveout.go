package space

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/fsys"
	"github.com/cairn-kb/cairn/internal/vault"
)

// maxIgnoreFile bounds it, in bytes.
const maxIgnoreFile = 1 << 20

// leaveOut adds the lines to the ignore file of a directory that it lacks.
func leaveOut(ctx context.Context, r *Registry, root string, lines []string) (err error) {
	if len(lines) == 0 {
		return nil
	}
	dir, err := fsys.OpenDir(root)
	if err != nil {
		return fsys.Explain(err, "open %s", root)
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	files := r.files(dir)
	old, _, err := fsys.ReadFile(ctx, files, vault.IgnoreFile, maxIgnoreFile)
	pre := fsys.Unchanged(old)
	if errors.Is(err, fs.ErrNotExist) {
		old, pre, err = nil, fsys.Absent(), nil
	}
	if err != nil {
		return fsys.Explain(err, "read %s", filepath.Join(root, vault.IgnoreFile))
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
	return fsys.Explain(fsys.WriteAtomic(ctx, files, vault.IgnoreFile, []byte(text), pre, fsys.WriteOptions{}), "write %s", filepath.Join(root, vault.IgnoreFile))
}
