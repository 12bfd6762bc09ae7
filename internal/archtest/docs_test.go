package archtest

import (
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// goMod is what the Go command says of go.mod.
type goMod struct {
	Require []struct {
		Path     string
		Indirect bool
	}
	Exclude, Replace []json.RawMessage
}

func readGoMod(t *testing.T) goMod {
	t.Helper()
	cmd := exec.Command("go", "mod", "edit", "-json")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go mod edit: %v", err)
	}
	var mod goMod
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	return mod
}

// With either, "go install …@latest" refuses to build.
func TestModuleCanBeInstalled(t *testing.T) {
	mod := readGoMod(t)
	if len(mod.Exclude)+len(mod.Replace) > 0 {
		t.Error("go.mod has an exclude or a replace: go install would refuse the module")
	}
}

var row = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| [^|]+ \\| [^|]+ \\| ([^|]+) \\|$")

func TestDependenciesAreExplained(t *testing.T) {
	text := read(t, "docs/dependencies.md")
	var listed, direct []string
	for _, m := range row.FindAllStringSubmatch(text, -1) {
		listed = append(listed, m[1])
	}
	for _, r := range readGoMod(t).Require {
		if !r.Indirect {
			direct = append(direct, r.Path)
		}
	}
	slices.Sort(direct)
	if len(direct) == 0 {
		t.Fatal("go.mod has no direct dependencies")
	}
	if !slices.Equal(listed, direct) {
		t.Errorf("docs/dependencies.md lists\n\t%s\ngo.mod requires\n\t%s", strings.Join(listed, " "), strings.Join(direct, " "))
	}
}

var markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// A link in the documents that leads nowhere is a promise that nobody kept.
func TestLinksInDocsLead(t *testing.T) {
	names := []string{"README.md", "CONTRIBUTING.md"}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(name string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".md") {
			rel, relErr := filepath.Rel(root, name)
			names = append(names, rel)
			err = relErr
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, name := range names {
		for _, m := range markdownLink.FindAllStringSubmatch(withoutCode(read(t, name)), -1) {
			u, err := url.Parse(m[1])
			if err != nil || u.Scheme != "" || u.Path == "" {
				continue
			}
			links++
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(name), filepath.FromSlash(u.Path))); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
		}
	}
	if links < 20 {
		t.Errorf("only %d links were found in %d files", links, len(names))
	}
}

var code = regexp.MustCompile("(?ms)^```.*?^```|`[^`\n]*`")

func withoutCode(text string) string { return code.ReplaceAllString(text, "") }

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
