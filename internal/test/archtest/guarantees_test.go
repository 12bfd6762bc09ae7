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
	namedTest   = regexp.MustCompile("`(Test[A-Za-z0-9]+)`")
	definedTest = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9]+)\(t \*testing\.T\)`)
)

// A promise whose test was renamed or removed is a promise that nobody holds.
func TestGuaranteesNameTests(t *testing.T) {
	t.Parallel()
	defined := map[string]bool{}
	look := func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		for _, m := range definedTest.FindAllSubmatch(text, -1) {
			defined[string(m[1])] = true
		}
		return err
	}
	for _, dir := range []string{"cmd", "internal"} {
		if err := filepath.WalkDir(filepath.Join(root, dir), look); err != nil {
			t.Fatal(err)
		}
	}
	named := namedTest.FindAllStringSubmatch(read(t, "docs/guarantees.md"), -1)
	if len(named) == 0 {
		t.Fatal("docs/guarantees.md names no test")
	}
	for _, m := range named {
		if !defined[m[1]] {
			t.Errorf("docs/guarantees.md names %s, which is no test", m[1])
		}
	}
}
