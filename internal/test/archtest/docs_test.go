package archtest

import (
	"encoding/json"
	"go/ast"
	"go/token"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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
	t.Parallel()
	mod := readGoMod(t)
	if len(mod.Exclude)+len(mod.Replace) > 0 {
		t.Error("go.mod has an exclude or a replace: go install would refuse the module")
	}
}

var row = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| [^|]+ \\| [^|]+ \\| ([^|]+) \\|$")

func TestDependenciesAreExplained(t *testing.T) {
	t.Parallel()
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

// documents are the Markdown files that people read, by their names within the
// repository.
func documents(t *testing.T) []string {
	t.Helper()
	names := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"}
	for _, dir := range []string{"docs", "bench", "changelog", "tools"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(name string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() && e.Name() == "node_modules" { // of others, and not committed
				return fs.SkipDir
			}
			if err == nil && strings.HasSuffix(name, ".md") {
				rel, relErr := filepath.Rel(root, name)
				names = append(names, filepath.ToSlash(rel))
				err = relErr
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}

var markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// linksOf returns what a document links to within the repository: the document's
// name, "" for itself, and the anchor, "" for none.
func linksOf(text string) (out []url.URL) {
	for _, m := range markdownLink.FindAllStringSubmatch(withoutCode(text), -1) {
		if u, err := url.Parse(m[1]); err == nil && u.Scheme == "" {
			out = append(out, *u)
		}
	}
	return out
}

// A link in the documents that leads nowhere is a promise that nobody kept.
func TestLinksInDocsLead(t *testing.T) {
	t.Parallel()
	links, anchored := 0, 0
	for _, name := range documents(t) {
		for _, u := range linksOf(read(t, name)) {
			links++
			target := name
			if u.Path != "" {
				target = path.Join(path.Dir(name), u.Path)
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(target))); err != nil {
				t.Errorf("%s links to %s, which is not there", name, u.String())
				continue
			}
			if u.Fragment == "" {
				continue
			}
			anchored++
			if !anchors(read(t, target))[u.Fragment] {
				t.Errorf("%s links to %s, and %s has no such heading", name, u.String(), target)
			}
		}
	}
	if links < 20 || anchored < 20 {
		t.Errorf("only %d links were found, %d of them to headings", links, anchored)
	}
}

var (
	heading     = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *#*$`)
	linkText    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns the names by which links reach the headings of a document, as
// GitHub makes them: in lower case, without punctuation, blanks as hyphens, and
// a number behind one that was there before.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		name := linkText.ReplaceAllString(strings.ToLower(m[1]), "$1")
		name = strings.ReplaceAll(notInAnchor.ReplaceAllString(name, ""), " ", "-")
		for n, again := 1, name; ; n++ {
			if !out[again] {
				out[again] = true
				break
			}
			again = name + "-" + strconv.Itoa(n)
		}
	}
	return out
}

// Whoever opens the index finds every document from it.
func TestDocsAreIndexed(t *testing.T) {
	t.Parallel()
	indexed := map[string]bool{}
	for _, u := range linksOf(read(t, "docs/README.md")) {
		indexed[path.Join("docs", u.Path)] = true
	}
	found := 0
	for _, name := range documents(t) {
		if path.Dir(name) != "docs" && path.Dir(name) != "docs/adr" || name == "docs/README.md" {
			continue
		}
		found++
		if !indexed[name] {
			t.Errorf("docs/README.md does not list %s", name)
		}
	}
	if found < 10 {
		t.Errorf("only %d documents were found", found)
	}
}

var variable = regexp.MustCompile(`\bCAIRN_[A-Z_]+`)

// A variable that changes what cairn does is told where all of them are told,
// and none is told that does nothing.
func TestVariablesAreExplained(t *testing.T) {
	t.Parallel()
	const topic = "internal/surface/cli/topics/environment.txt"
	used := map[string]bool{}
	for _, p := range packages(t) {
		for _, f := range p.files {
			if f.test || p.support() {
				continue
			}
			ast.Inspect(f.tree, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if name := strings.Trim(lit.Value, "\"`"); variable.FindString(name) == name && name != "" {
						used[name] = true
					}
				}
				return true
			})
		}
	}
	told := map[string]bool{}
	for _, name := range variable.FindAllString(read(t, topic), -1) {
		told[name] = true
	}
	if len(used) < 5 {
		t.Fatalf("only %d variables were found", len(used))
	}
	for name := range used {
		if !told[name] {
			t.Errorf("%s is read, and %s says nothing of it", name, topic)
		}
	}
	for name := range told {
		if !used[name] {
			t.Errorf("%s tells of %s, which nothing reads", topic, name)
		}
	}
}

var (
	fence = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	code  = regexp.MustCompile("(?ms)^```.*?^```|`[^`\n]*`")
)

func withoutCode(text string) string { return code.ReplaceAllString(text, "") }

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
