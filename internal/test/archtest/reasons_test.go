package archtest

import (
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/surface/operation/operationtest"
)

// surfaces know commands, flags or tools, and have words for every reason; so do
// the packages that they are made of.
var surfaces = []string{"surface"}

// Below the surfaces nothing knows by what the memory is reached: a hint that
// would name a command or a flag is a reason there.
func TestHintsBelowSurfacesNameNoCommands(t *testing.T) {
	t.Parallel()
	names := commandOrFlag(t)
	for _, p := range packages(t) {
		if slices.ContainsFunc(surfaces, func(s string) bool { return p.short() == s || strings.HasPrefix(p.short(), s+"/") }) || strings.HasPrefix(p.path, "cmd/") {
			continue
		}
		for _, f := range p.files {
			if f.test {
				continue
			}
			hints(f.tree, func(e ast.Expr) {
				if text := literals(e); names.MatchString(text) {
					t.Errorf("%s: %q names a command or a flag: give the error a reason, and say it in hints.go of cli and operation",
						fset.Position(e.Pos()), text)
				}
			})
		}
	}
}

// commandOrFlag finds the commands that the docs describe, and any flag.
func commandOrFlag(t *testing.T) *regexp.Regexp {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join(root, "docs/cli/cairn-*.md"))
	if err != nil {
		t.Fatal(err)
	}
	commands := map[string]bool{}
	for _, page := range pages {
		name, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(page), "cairn-"), ".md"), "-")
		commands[name] = true
	}
	if !commands["query"] {
		t.Fatalf("the docs describe %d commands, and query is none of them", len(commands))
	}
	return regexp.MustCompile(`\bcairn (` + strings.Join(slices.Sorted(maps.Keys(commands)), "|") + `)\b|--[a-z]`)
}

// hints calls found with every expression that becomes a hint: an argument of a
// function, a field or a variable that is called so.
func hints(tree *ast.File, found func(ast.Expr)) {
	isHint := func(e ast.Expr) bool {
		if sel, ok := e.(*ast.SelectorExpr); ok {
			e = sel.Sel
		}
		id, ok := e.(*ast.Ident)
		return ok && strings.HasSuffix(strings.ToLower(id.Name), "hint")
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if isHint(n.Fun) {
				for _, arg := range n.Args {
					found(arg)
				}
			}
		case *ast.KeyValueExpr:
			if isHint(n.Key) {
				found(n.Value)
			}
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if isHint(to) && len(n.Lhs) == len(n.Rhs) {
					found(n.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if isHint(name) && i < len(n.Values) {
					found(n.Values[i])
				}
			}
		}
		return true
	})
}

// literals returns the texts that stand in an expression.
func literals(e ast.Expr) string {
	var b strings.Builder
	ast.Inspect(e, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				b.WriteString(text)
			}
		}
		return true
	})
	return b.String()
}

func TestHintsAreFound(t *testing.T) {
	t.Parallel()
	all, err := parse(map[string]string{"internal/p/p.go": `package p
const rebuildHint = "a"
var _ = kb.Error{Message: "no", Hint: "b" + x}
func f() {
	e.Hint = "c"
	hint := "d"
	_ = kb.Errorf("no").WithHint("e", "f").With("no", withHint(err, "g"))
}`})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	hints(all[0].files[0].tree, func(e ast.Expr) {
		if text := literals(e); text != "" {
			got = append(got, text)
		}
	})
	slices.Sort(got)
	if want := []string{"a", "b", "c", "d", "e", "f", "g"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// An error with a reason has the facts that words for it may name: all of
// them, and no others.
func TestReasonsHaveTheirFacts(t *testing.T) {
	t.Parallel()
	declared := map[string][]string{}
	for _, r := range operationtest.Reasons(t) {
		declared[r.Name] = r.Facts
	}
	used := map[string]bool{}
	for _, p := range packages(t) {
		for _, f := range p.files {
			if f.test || p.short() == "kb" {
				continue
			}
			reasons(f.tree, func(at token.Pos, reason string, facts []string) {
				want, ok := declared[reason]
				slices.Sort(facts)
				slices.Sort(want)
				if !ok || !slices.Equal(facts, want) {
					t.Errorf("%s: %s has the facts %q, and kb declares %q", fset.Position(at), reason, facts, want)
				}
				used[reason] = true
			})
		}
	}
	for reason := range declared {
		if !used[reason] {
			t.Errorf("no error is because of %s any more: take it out of kb", reason)
		}
	}
}

// reasons calls found with the reason of every error that has one, as its
// constant is called, and the names of its facts.
func reasons(tree *ast.File, found func(at token.Pos, reason string, facts []string)) {
	done := map[*ast.CallExpr]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || done[call] {
			return true
		}
		var facts []string
		// The outermost call of a chain comes first; walk down to its start.
		for c := call; c != nil; {
			done[c] = true
			method, ok := c.Fun.(*ast.SelectorExpr)
			if !ok {
				break
			}
			switch method.Sel.Name {
			case "WithFact":
				facts = append(facts, literals(c.Args[0]))
			case "WithReason":
				reason := "what is no constant of kb"
				if sel, ok := c.Args[0].(*ast.SelectorExpr); ok {
					reason = sel.Sel.Name
				}
				found(c.Pos(), reason, facts)
			}
			c, _ = method.X.(*ast.CallExpr)
		}
		return true
	})
}
