package archtest

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// Each test has its own memory, clock and home. One that cannot run next to others has a
// comment that begins with "Serial:" and gives the reason.
func TestTestsRunInParallel(t *testing.T) {
	t.Parallel()
	tests, serial := 0, 0
	for _, p := range packages(t) {
		for _, f := range p.files {
			if !f.test {
				continue
			}
			for _, d := range f.tree.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || !isTest(fn) {
					continue
				}
				tests++
				switch {
				case slices.ContainsFunc(fn.Body.List, isParallelCall):
				case hasReason(f, fn):
					serial++
				default:
					t.Errorf("%s: %s begins neither with t.Parallel() nor with a comment \"// Serial: why\"", fset.Position(fn.Pos()), fn.Name.Name)
				}
			}
		}
	}
	if tests < 1000 || serial == 0 || serial > tests/10 {
		t.Errorf("%d tests, %d of them serial", tests, serial)
	}
}

// isTest reports whether a function is func TestName(t *testing.T).
func isTest(fn *ast.FuncDecl) bool {
	if fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "Test") || len(fn.Type.Params.List) != 1 {
		return false
	}
	pointer, ok := fn.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	of, ok := pointer.X.(*ast.SelectorExpr)
	return ok && of.Sel.Name == "T"
}

// isParallelCall reports whether a statement is t.Parallel().
func isParallelCall(s ast.Stmt) bool {
	expr, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := expr.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Parallel"
}

// hasReason reports whether a function has a comment that begins with "Serial:".
func hasReason(f *file, fn *ast.FuncDecl) bool {
	return slices.ContainsFunc(f.tree.Comments, func(g *ast.CommentGroup) bool {
		return g.Pos() > fn.Pos() && g.End() < fn.End() && strings.HasPrefix(g.Text(), "Serial: ")
	})
}
