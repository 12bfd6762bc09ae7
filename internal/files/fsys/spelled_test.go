package fsys

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A path is spelled as its directories list it, where case does not count, and otherwise as it
// is: names that differ only in case are two files.
func TestReal(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.MkdirAll(filepath.Join(top, "Docs", "ÄRGER"), 0o700), os.WriteFile(filepath.Join(top, "Docs", "a.md"), nil, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	ignoresCase := Exists(filepath.Join(top, "dOCS"))
	for asked, want := range map[string]string{
		"Docs/ÄRGER": "Docs/ÄRGER", "Docs/a.md": "Docs/a.md", "Docs": "Docs", "docs/Ärger": "Docs/ÄRGER", "DOCS/A.md": "Docs/a.md",
	} {
		got, err := Real(filepath.Join(top, filepath.FromSlash(asked)))
		if asked != want && !ignoresCase {
			if !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s: %s, %v", asked, got, err)
			}
			continue
		}
		if err != nil || got != filepath.Join(top, filepath.FromSlash(want)) {
			t.Errorf("%s: %s, %v", asked, got, err)
		}
	}
	if runtime.GOOS == "windows" || ignoresCase {
		return
	}
	if err := os.Mkdir(filepath.Join(top, "dOCS"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Docs", "dOCS"} {
		if got, err := Real(filepath.Join(top, name)); err != nil || filepath.Base(got) != name {
			t.Errorf("%s is %s, %v", name, got, err)
		}
	}
}
