package archtest

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A reader who opens a package finds in one place what it is for and what always
// holds.
func TestEveryPackageIsDescribed(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		var described []string
		for _, f := range p.files {
			if !f.test && f.tree.Doc != nil {
				described = append(described, path.Base(f.name))
				want := "Package " + f.tree.Name.Name + " "
				if f.tree.Name.Name == "main" {
					want = "Command "
				}
				if text := f.tree.Doc.Text(); !strings.HasPrefix(text, want) {
					t.Errorf("%s: the comment does not begin with %q", f.name, want)
				}
			}
		}
		switch {
		case len(described) != 1:
			t.Errorf("%s is described in %d files %v, want one", p.path, len(described), described)
		case described[0] != "doc.go" && sources(p) > 1:
			t.Errorf("%s is described in %s, want doc.go", p.path, described[0])
		}
	}
}

// A comment that begins with another name was left behind by a renaming.
func TestCommentsNameTheirDeclaration(t *testing.T) {
	t.Parallel()
	checked := 0
	check := func(name *ast.Ident, comment *ast.CommentGroup) {
		words := strings.Fields(comment.Text()) // none for a directive
		if len(words) > 1 && slices.Contains([]string{"A", "An", "The"}, words[0]) {
			words = words[1:]
		}
		if len(words) == 0 {
			return
		}
		checked++
		if first := strings.TrimRight(words[0], ",:."); first != name.Name && first != name.Name+"'s" {
			t.Errorf("%s: the comment of %s begins with %q", fset.Position(name.Pos()), name.Name, words[0])
		}
	}
	for _, p := range packages(t) {
		for _, f := range p.files {
			if f.test {
				continue
			}
			for _, d := range f.tree.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					check(d.Name, d.Doc)
				case *ast.GenDecl:
					for _, s := range d.Specs {
						s, ok := s.(*ast.TypeSpec)
						switch {
						case !ok:
						case d.Lparen.IsValid():
							check(s.Name, s.Doc)
						default:
							check(s.Name, d.Doc)
						}
					}
				}
			}
		}
	}
	if checked < 1000 {
		t.Errorf("only %d comments were checked", checked)
	}
}

// sources counts the files of a package that are no tests.
func sources(p *pkg) int {
	n := 0
	for _, f := range p.files {
		if !f.test {
			n++
		}
	}
	return n
}

// A package that is named for being shared, and not for what it is, takes in
// whatever has no place yet.
func TestPackageNamesSayWhatTheyHold(t *testing.T) {
	t.Parallel()
	empty := []string{"util", "utils", "common", "types", "models", "helpers", "helper", "misc", "base", "shared", "core", "lib"}
	for _, p := range packages(t) {
		for _, f := range p.files {
			name := strings.TrimSuffix(f.tree.Name.Name, "_test")
			if slices.Contains(empty, name) {
				t.Errorf("%s: package %s says nothing of what it holds", f.name, name)
			}
			if name != "main" && name != path.Base(p.path) {
				t.Errorf("%s: package %s in folder %s", f.name, name, path.Base(p.path))
			}
		}
	}
}

// Generated or not, what a comment leaves for later is not done.
func TestNothingIsLeftForLater(t *testing.T) {
	t.Parallel()
	later := regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b:|\b(TODO|FIXME|XXX|HACK)\(`)
	for _, p := range packages(t) {
		for _, f := range p.files {
			for _, g := range f.tree.Comments {
				if later.MatchString(g.Text()) {
					t.Errorf("%s: do it, or file it", fset.Position(g.Pos()))
				}
			}
		}
	}
}

// A newcomer finds every package of a room in the room's doc.go.
func TestRoomsListTheirPackages(t *testing.T) {
	t.Parallel()
	all := packages(t)
	for _, r := range rooms {
		p := find(all, r.name)
		if p == nil {
			t.Errorf("room %s has no doc.go", r.name)
			continue
		}
		var text string
		for _, f := range p.files {
			if path.Base(f.name) == "doc.go" {
				text = f.tree.Doc.Text()
			}
		}
		for _, q := range all {
			if roomOf(q) != r.name || q == p {
				continue
			}
			name := path.Base(q.path)
			if !regexp.MustCompile(`\b` + name + `\b`).MatchString(text) {
				t.Errorf("%s/doc.go does not list %s", r.name, name)
			}
		}
	}
}
