package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/cairn-kb/cairn"

// root is the repository's root, seen from this package.
const root = "../../.."

// pkg is one directory of Go files.
type pkg struct {
	path  string // within the module: internal/kb
	files []*file
}

// short is the path as the rules write it: kb for internal/kb.
func (p *pkg) short() string { return strings.TrimPrefix(p.path, "internal/") }

// support reports whether the package is imported by tests only.
func (p *pkg) support() bool { return strings.HasSuffix(p.path, "test") }

type file struct {
	name  string // within the module, slash-separated
	test  bool   // name ends in _test.go
	lines int
	tree  *ast.File
}

// imports returns the paths that a file imports.
func (f *file) imports() []string {
	var out []string
	for _, s := range f.tree.Imports {
		p, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			panic(err) // the parser has accepted it
		}
		out = append(out, p)
	}
	return out
}

// local returns the name by which the file calls an imported package, "" when
// it does not import it.
func (f *file) local(importPath string) string {
	for _, s := range f.tree.Imports {
		if s.Path.Value != strconv.Quote(importPath) {
			continue
		}
		if s.Name != nil {
			return s.Name.Name
		}
		return path.Base(importPath)
	}
	return ""
}

// uses calls found with every name of an imported package that the file
// mentions.
func (f *file) uses(importPath string, found func(name string, at token.Pos)) {
	local := f.local(importPath)
	if local == "" {
		return
	}
	ast.Inspect(f.tree, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok && id.Name == local {
			found(sel.Sel.Name, sel.Pos())
		}
		return true
	})
}

var fset = token.NewFileSet()

// load reads every package of the module, tests included.
var load = sync.OnceValues(func() ([]*pkg, error) {
	sources := map[string]string{}
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if e.IsDir() {
			return skipDir(name, rel, e.Name())
		}
		if !strings.HasSuffix(rel, ".go") {
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		sources[rel] = string(src)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return parse(sources)
})

// parse reads files, by their names within the module, into packages.
func parse(sources map[string]string) ([]*pkg, error) {
	var all []*pkg
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		src := sources[name]
		tree, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(all, func(p *pkg) bool { return p.path == path.Dir(name) })
		if i < 0 {
			i = len(all)
			all = append(all, &pkg{path: path.Dir(name)})
		}
		all[i].files = append(all[i].files, &file{
			name: name, test: strings.HasSuffix(name, "_test.go"),
			lines: strings.Count(src, "\n"), tree: tree,
		})
	}
	slices.SortFunc(all, func(a, b *pkg) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

// parsed is parse for small sources that a rule is tried on.
func parsed(t *testing.T, sources map[string]string) []*pkg {
	t.Helper()
	all, err := parse(sources)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// skipDir leaves out what the Go command leaves out, and other modules.
func skipDir(name, rel, base string) error {
	if rel == "." {
		return nil
	}
	if strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" {
		return fs.SkipDir
	}
	if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

// packages returns every package of the module.
func packages(t *testing.T) []*pkg {
	t.Helper()
	all, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("only %d packages were found: the rules would hold for nothing", len(all))
	}
	return all
}

func find(all []*pkg, short string) *pkg {
	i := slices.IndexFunc(all, func(p *pkg) bool { return p.short() == short })
	if i < 0 {
		return nil
	}
	return all[i]
}
