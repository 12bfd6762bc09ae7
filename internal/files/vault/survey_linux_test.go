//go:build amd64 || arm64

package vault_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
)

// plain is a file system without folders of its own.
type plain struct{ fsys.FS }

// A listing by descriptors is the one by paths, whatever is in the tree.
func TestSurveyByDescriptorsAndByPaths(t *testing.T) {
	t.Parallel()
	for seed := range int64(4) {
		r := rand.New(rand.NewSource(seed))
		dir := t.TempDir()
		grow(t, r, dir, 0)
		tree := openDir(t, dir)
		got, err := vault.Scan(t.Context(), tree, markdown)
		if err != nil {
			t.Fatal(err)
		}
		want, err := vault.Scan(t.Context(), plain{tree}, markdown)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("seed %d: by descriptors\n%+v\nby paths\n%+v", seed, got, want)
		}
		if len(got.Files) < 20 || len(got.Dirs) < 3 || len(got.Skipped) == 0 {
			t.Errorf("seed %d: %d files in %d directories, %d skipped: the tree is too small to tell", seed, len(got.Files), len(got.Dirs), len(got.Skipped))
		}
		for _, f := range got.Files {
			if want := kb.NewPathSum().Add(f.Path).File(f.Size, f.ModTime); f.Sum != want {
				t.Errorf("%+v: sum should be %d", f, want)
			}
		}
	}
}

// grow fills a directory with what listings have to do with.
func grow(t *testing.T, r *rand.Rand, dir string, depth int) {
	t.Helper()
	n := 3 + r.Intn(10)
	if depth == 0 {
		n = 450 // more than one task describes
	}
	for i := range n {
		name := filepath.Join(dir, fmt.Sprintf("%c%d", 'a'+rune(r.Intn(26)), i))
		var err error
		switch k := r.Intn(20); {
		case k < 12:
			err = os.WriteFile(name+".md", make([]byte, r.Intn(120)), 0o600)
		case k == 12:
			err = os.WriteFile(name+".txt", nil, 0o600)
		case k == 13:
			err = os.WriteFile(filepath.Join(dir, "."+filepath.Base(name)+".md"), nil, 0o600)
		case k == 14:
			err = os.Symlink([]string{"..", "a", "/etc", "x.md"}[r.Intn(4)], name+[]string{"", ".md"}[r.Intn(2)])
		case k == 15:
			err = syscall.Mkfifo(name+".org", 0o600)
		case k == 16:
			err = os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(fmt.Sprintf("%c*\n!%c*.md\n", 'a'+rune(r.Intn(26)), 'a'+rune(r.Intn(26)))), 0o600)
		case depth < 4 && r.Intn(4) == 0:
			if err = os.Mkdir(name, 0o700); err == nil {
				grow(t, r, name, depth+1)
			}
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
}

// However many directories lie in each other, and however many beside each
// other, few are open at a time, and none afterwards.
func TestSurveyDeepAndWide(t *testing.T) {
	// Serial: it counts the open files of the process.
	dir := t.TempDir()
	deep := strings.Repeat("d/", 200)
	put(t, dir, deep+"a.md", "a")
	for i := range 300 {
		put(t, dir, fmt.Sprintf("w/%d/sub/b.md", i), "b")
	}
	tree := openDir(t, dir)
	before := descriptors(t)
	list, err := vault.Survey(t.Context(), tree, markdown)
	if err != nil || len(list.Files) != 301 || len(list.Dirs) != 1+200+1+600 || len(list.Skipped) > 0 {
		t.Errorf("%d files in %d directories, %v, %v", len(list.Files), len(list.Dirs), list.Skipped, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := vault.Survey(ctx, tree, markdown); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if after := descriptors(t); after != before {
		t.Errorf("%d descriptors are open, %d were", after, before)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// A directory that a symbolic link took the place of is gone.
func TestSurveyReplacedByLink(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), t.TempDir()
	put(t, dir, "d/a.md", "a")
	put(t, elsewhere, "secret.md", "")
	tree := swapping{openDir(t, dir), func() {
		if err := errors.Join(os.RemoveAll(filepath.Join(dir, "d")), os.Symlink(elsewhere, filepath.Join(dir, "d"))); err != nil {
			t.Error(err)
		}
	}}
	list, err := vault.Survey(t.Context(), tree, markdown)
	if err != nil || len(list.Files) != 0 || len(list.Skipped) != 0 || !list.Whole() {
		t.Errorf("%+v, %v", list, err)
	}
}

// swapping calls swap once the root was listed.
type swapping struct {
	*fsys.Dir
	swap func()
}

func (s swapping) OpenFolder(name string) (fsys.Folder, error) {
	f, err := s.Dir.OpenFolder(name)
	return swappingFolder{f, s.swap}, err
}

type swappingFolder struct {
	folder
	swap func()
}

type folder = fsys.Folder

func (f swappingFolder) Each(visit func([]byte, fs.FileMode)) error {
	err := f.folder.Each(visit)
	f.swap()
	return err
}
