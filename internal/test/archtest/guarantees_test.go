package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	namedScript = regexp.MustCompile("`([a-z_]+\\.txtar)`")
	namedTest   = regexp.MustCompile("`(Test[A-Za-z0-9]+)`")
	definedTest = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9]+)\(t \*testing\.T\)`)
)

// A promise whose test was renamed or removed is a promise that nobody holds.
func TestGuaranteesNameTests(t *testing.T) {
	t.Parallel()
	defined, scripts := map[string]bool{}, map[string]bool{}
	look := func(name string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(name, ".txtar") {
			scripts[filepath.Base(name)] = true
		}
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		for _, m := range definedTest.FindAllSubmatch(text, -1) {
			defined[string(m[1])] = true
		}
		return err
	}
	for _, dir := range []string{"cmd", "internal", "test/browser"} {
		if err := filepath.WalkDir(filepath.Join(root, dir), look); err != nil {
			t.Fatal(err)
		}
	}
	for _, page := range []string{"docs/guarantees.md", "docs/requirements.md"} {
		text := read(t, page)
		named := namedTest.FindAllStringSubmatch(text, -1)
		if len(named) == 0 {
			t.Fatalf("%s names no test", page)
		}
		for _, m := range named {
			if !defined[m[1]] {
				t.Errorf("%s names %s, which is no test", page, m[1])
			}
		}
		for _, m := range namedScript.FindAllStringSubmatch(text, -1) {
			if !scripts[m[1]] {
				t.Errorf("%s names %s, which is no script", page, m[1])
			}
		}
	}
}
