package fsys

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestAtLeast(t *testing.T) {
	t.Parallel()
	for release, want := range map[string]bool{
		"5.8.0": true, "5.8": true, "5.10.0-28-amd64": true, "6.1.0-18-amd64": true, "10.0-rc1": true,
		"5.7.19": false, "4.18.0-553.el8": false, "5": false, "": false, "x.y": false,
	} {
		if atLeast(release, 5, 8) != want {
			t.Errorf("%q: %t", release, !want)
		}
	}
}

func TestFlushOpensOneDirectoryOfAFileSystem(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.Mkdir(filepath.Join(root, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	d, err := OpenDir(root)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	f, err := OpenFlush(d, []string{".", "a", "b"})
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("syncfs is not known to be reliable here")
	}
	if err != nil {
		t.Fatal(err)
	}
	if n := len(f.(flush)); n != 1 {
		t.Errorf("%d directories are open, want 1", n)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		t.Error(err)
	}
	if _, err := OpenFlush(d, []string{"a", "none"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing directory: %v", err)
	}
}
