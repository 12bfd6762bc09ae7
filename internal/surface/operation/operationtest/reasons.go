package operationtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Reason is a reason that kb declares.
type Reason struct {
	Name  string   // of the constant
	Facts []string // as its comment names them: "slug, ref: of the page"
}

// Reasons returns the reasons that kb declares, by their values. It is for
// tests of the packages of a room, at any depth.
func Reasons(t testing.TB) map[string]Reason {
	t.Helper()
	source := "../../kb/reason.go"
	if _, err := os.Stat(source); err != nil {
		source = "../" + source
	}
	file, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]Reason{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); !ok || kind.Name != "Reason" {
			return true
		}
		value := strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`)
		if _, twice := out[value]; twice {
			t.Errorf("two reasons are %q", value)
		}
		names, _, _ := strings.Cut(spec.Comment.Text(), ":")
		out[value] = Reason{spec.Names[0].Name, regexp.MustCompile(`\w+`).FindAllString(names, -1)}
		return true
	})
	if len(out) == 0 {
		t.Fatal("kb declares no reasons")
	}
	return out
}

// Words checks that the words for a reason need no facts but its own. They are
// those without any fact filled in.
func Words(t testing.TB, reason string, facts []string, words string) {
	t.Helper()
	if words == "" {
		t.Errorf("the words for %q are none", reason)
	}
	for _, needs := range regexp.MustCompile(`\{(?:word:)?(\w*)\}`).FindAllStringSubmatch(words, -1) {
		if !slices.Contains(facts, needs[1]) {
			t.Errorf("the words for %q need a fact %q, which it has not: %s", reason, needs[1], words)
		}
	}
}
