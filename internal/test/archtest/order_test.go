package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"testing"
)

// The language leaves open whether return out, view(func() { out = … }) returns
// out as it was or as the call makes it.
func TestReturnsDoNotDependOnTheOrder(t *testing.T) {
	t.Parallel()
	returns := 0
	for _, p := range packages(t) {
		for _, f := range p.files {
			n, open := openReturns(f.tree)
			returns += n
			for at, name := range open {
				t.Errorf("%s: a call beside %s changes it, before or after it is read: call first, then return", fset.Position(at), name)
			}
		}
	}
	if returns < 1000 {
		t.Errorf("only %d returns of several results were found", returns)
	}
}

// openReturns counts the returns of several results, and returns those of which
// nobody knows what they return, with the variable.
func openReturns(tree ast.Node) (returns int, open map[token.Pos]string) {
	open = map[token.Pos]string{}
	ast.Inspect(tree, func(n ast.Node) bool {
		ret, ok := n.(*ast.ReturnStmt)
		if !ok || len(ret.Results) < 2 {
			return true
		}
		returns++
		for i, result := range ret.Results {
			for name := range changedBy(result) {
				for j, other := range ret.Results {
					if j != i && reads(other, name) {
						open[ret.Pos()] = name
					}
				}
			}
		}
		return true
	})
	return returns, open
}

// changedBy returns the variables that functions within an expression assign to,
// and those of which it hands the address to a call.
func changedBy(e ast.Expr) map[string]bool {
	changed := map[string]bool{}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			for _, arg := range n.Args {
				if of, ok := arg.(*ast.UnaryExpr); ok && of.Op == token.AND {
					if id, ok := assignee(of.X); ok {
						changed[id] = true
					}
				}
			}
		case *ast.FuncLit:
			maps.Copy(changed, assigned(n))
			return false
		}
		return true
	})
	return changed
}

// assigned returns the variables of others that a function assigns to.
func assigned(f *ast.FuncLit) map[string]bool {
	to, own := map[string]bool{}, map[string]bool{}
	for _, list := range []*ast.FieldList{f.Type.Params, f.Type.Results} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				own[name.Name] = true
			}
		}
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				id, ok := assignee(left)
				switch {
				case !ok:
				case n.Tok == token.DEFINE:
					own[id] = true
				default:
					to[id] = true
				}
			}
		case *ast.IncDecStmt:
			if id, ok := assignee(n.X); ok {
				to[id] = true
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				own[name.Name] = true
			}
		}
		return true
	})
	maps.DeleteFunc(to, func(name string, _ bool) bool { return own[name] || name == "_" })
	return to
}

// assignee returns the variable that is assigned to, or a part of it.
func assignee(e ast.Expr) (string, bool) {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x.Name, true
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		default:
			return "", false
		}
	}
}

// reads reports whether an expression reads a variable as it is evaluated.
func reads(e ast.Expr, name string) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SelectorExpr:
			found = found || reads(n.X, name)
			return false
		case *ast.Ident:
			found = found || n.Name == name
		}
		return true
	})
	return found
}

func TestOpenReturns(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		"return out, view(func() { out = 1 })":                             true,
		"return out, view(func() { out.a[1] = 1 })":                        true,
		"return out, view(func() error { if true { out++ }; return nil })": true,
		"return out, view(&out.a)":                                         true,
		"return out, &out.a[0]":                                            false,
		"return out, view(&T{a: out})":                                     false,
		"return out, view(&out)":                                           true,
		"return len(out), view(func() { out = nil })":                      true,
		"return out, view(func() { out := 1; use(out) })":                  false,
		"return out, view(func(out int) { out = 1 })":                      false,
		"return out, view(func() { other = 1 })":                           false,
		"return x.out, view(func() { out = 1 })":                           false,
		"return func() int { return out }, view(func() { out = 1 })":       false,
		"return view(func() { out = 1 })":                                  false,
	} {
		tree, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nfunc f() { "+code+" }", 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, open := openReturns(tree); (len(open) > 0) != want {
			t.Errorf("%s: %v", code, open)
		}
	}
}
