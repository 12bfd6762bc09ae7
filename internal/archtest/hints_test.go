package archtest

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// forPeople are the files whose errors reach a person at a command line, or
// ask for one: where only such errors arise, a hint may name commands.
var forPeople = map[string]string{
	"internal/embedding/model.go": "the embedding model is a person's choice",
	"internal/embedding/open.go":  "the same; an answer to recall holds it as a note for the user",
	"internal/space/add.go":       "spaces are set up by a person",
	"internal/space/open.go":      "the same",
	"internal/operation/tool.go":  "of cairn call and cairn pipe, which are commands",
	"internal/write/journal.go":   "a damaged memory is mended by a person",
}

var commandOrFlag = regexp.MustCompile("(^|[ (`:])cairn [a-z]|--[a-z]")

// An agent may have the tools and no command line. A hint that names a command
// or a flag has another for it.
func TestHintsHaveAFormForTools(t *testing.T) {
	hints, used := 0, map[string]bool{}
	for _, p := range packages(t) {
		switch p.short() {
		case "app", "config", "embedding", "gap", "health", "history", "index", "jobs", "link", "prime", "ref", "retrieve", "space", "operation", "policy", "reconcile", "write":
		default:
			continue
		}
		for _, f := range p.files {
			if f.test {
				continue
			}
			found, missing := commandHints(f.tree)
			hints += found
			_, people := forPeople[f.name]
			used[f.name] = people && len(missing) > 0
			for _, at := range missing {
				if !people {
					t.Errorf("%s: the hint names a command: say with WithToolHint what a tool can do", fset.Position(at))
				}
			}
		}
	}
	for name := range forPeople {
		if !used[name] {
			t.Errorf("%s has no hint that names only commands any more: take it out of forPeople", name)
		}
	}
	if hints < 20 {
		t.Errorf("only %d hints that name commands were found", hints)
	}
}

// commandHints counts the hints that name commands, and returns those in whose
// chain of calls is no hint for tools.
func commandHints(file *ast.File) (found int, missing []token.Pos) {
	done := map[*ast.CallExpr]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || done[call] {
			return true
		}
		var at token.Pos
		tool := false
		// The outermost call of a chain comes first; walk down to its start.
		for c := call; c != nil; {
			done[c] = true
			method, ok := c.Fun.(*ast.SelectorExpr)
			if !ok {
				break
			}
			switch method.Sel.Name {
			case "WithToolHint":
				tool = true
			case "WithHint":
				if len(c.Args) > 0 && commandOrFlag.MatchString(literals(c.Args[0])) {
					at = c.Pos()
				}
			}
			c, _ = method.X.(*ast.CallExpr)
		}
		if at.IsValid() {
			found++
			if !tool {
				missing = append(missing, at)
			}
		}
		return true
	})
	return found, missing
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
