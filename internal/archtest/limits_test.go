package archtest

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"testing"
)

// limit says how much there may be of something.
type limit struct {
	most int
	what string // is counted
	then string // is to be done about too many
	// except are the ones that may have more, up to a limit of their own. One
	// that keeps within the limit of all is an exception no longer.
	except map[string]int
}

var (
	// A file follows its subject; past this it has more than one.
	fileLines = limit{most: 800, what: "lines", then: "split it by subject"}

	packageLines = limit{most: 6000, what: "lines", then: "a part of it is a package"}

	// The parts of a type with more methods can all call each other.
	typeMethods = limit{most: 60, what: "methods", then: "give a part of them a type or a package"}
)

func TestFilesAreShort(t *testing.T)    { keeps(t, countLines(packages(t)), fileLines, 400) }
func TestPackagesAreSmall(t *testing.T) { keeps(t, countPackageLines(packages(t)), packageLines, 40) }
func TestTypesAreSmall(t *testing.T)    { keeps(t, countMethods(packages(t)), typeMethods, 300) }

// App wires use cases and writes pages; what it knows beyond that belongs into the
// package of a use case.
func TestAppStaysSmall(t *testing.T) {
	if n := countPackageLines(packages(t))["app"]; n == 0 || n > 3500 {
		t.Errorf("app has %d lines, more than 3500", n)
	}
}

// keeps fails for what is past its limit, and when less than few things were
// counted.
func keeps(t *testing.T, counts map[string]int, l limit, few int) {
	t.Helper()
	if len(counts) < few {
		t.Errorf("only %d things were counted by their %s: the limit would hold for nothing", len(counts), l.what)
	}
	for _, fault := range l.faults(counts) {
		t.Error(fault)
	}
}

// faults compares counts with the limit, and with its exceptions.
func (l limit) faults(counts map[string]int) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		n, most := counts[name], l.most
		if own, ok := l.except[name]; ok {
			most = own
		}
		if n > most {
			fault("%s has %d %s, more than %d: %s", name, n, l.what, most, l.then)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.except)) {
		n, ok := counts[name]
		switch {
		case !ok:
			fault("%s is gone: take out its exception of %d %s", name, l.except[name], l.what)
		case n <= l.most:
			fault("%s has %d %s: it needs no exception any more", name, n, l.what)
		case l.except[name] <= l.most:
			fault("%s may have %d %s, and every other one %d: that is no exception", name, l.except[name], l.what, l.most)
		}
	}
	return faults
}

// countLines counts the lines of each file that is no test.
func countLines(all []*pkg) map[string]int {
	counts := map[string]int{}
	for _, p := range all {
		for _, f := range p.files {
			if !f.test {
				counts[f.name] = f.lines
			}
		}
	}
	return counts
}

// countPackageLines counts the lines of each package, tests left out.
func countPackageLines(all []*pkg) map[string]int {
	counts := map[string]int{}
	for _, p := range all {
		for _, f := range p.files {
			if !f.test {
				counts[p.short()] += f.lines
			}
		}
	}
	return counts
}

// countMethods counts the methods of each type that has some, tests left out.
// One that is written for several systems counts once.
func countMethods(all []*pkg) map[string]int {
	methods := map[string]map[string]bool{}
	for _, p := range all {
		for _, f := range p.files {
			if f.test {
				continue
			}
			for _, d := range f.tree.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Recv == nil {
					continue
				}
				name := p.short() + "." + receiver(fn.Recv.List[0].Type)
				if methods[name] == nil {
					methods[name] = map[string]bool{}
				}
				methods[name][fn.Name.Name] = true
			}
		}
	}
	counts := map[string]int{}
	for name, of := range methods {
		counts[name] = len(of)
	}
	return counts
}

// receiver returns the name of the type that a method is declared on.
func receiver(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x.Name
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		default:
			return ""
		}
	}
}

func TestLimitFaults(t *testing.T) {
	for _, tt := range []struct {
		name   string
		counts map[string]int
		except map[string]int
		want   []string
	}{
		{"within", map[string]int{"a": 3, "b": 1}, nil, nil},
		{"past", map[string]int{"a": 4, "b": 1}, nil, []string{"a has 4 lines, more than 3: split it"}},
		{"excepted", map[string]int{"a": 5, "b": 1}, map[string]int{"a": 5}, nil},
		{"past its exception", map[string]int{"a": 6, "b": 4}, map[string]int{"a": 5},
			[]string{"a has 6 lines, more than 5: split it", "b has 4 lines, more than 3: split it"}},
		{"exception not needed", map[string]int{"a": 3}, map[string]int{"a": 5}, []string{"a has 3 lines: it needs no exception any more"}},
		{"exception of nothing", map[string]int{"a": 3}, map[string]int{"b": 5}, []string{"b is gone: take out its exception of 5 lines"}},
		{"exception below the limit", map[string]int{"a": 4}, map[string]int{"a": 3},
			[]string{"a has 4 lines, more than 3: split it", "a may have 3 lines, and every other one 3: that is no exception"}},
	} {
		l := limit{most: 3, what: "lines", then: "split it", except: tt.except}
		if got := l.faults(tt.counts); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestCounts(t *testing.T) {
	all := parsed(t, map[string]string{
		"internal/a/a.go": "package a\ntype T struct{}\nfunc (T) One() {}\nfunc (t *T) two() {}\n" +
			"type G[X any] struct{}\nfunc (G[X]) One() {}\ntype H[X, Y any] struct{}\nfunc (*H[X, Y]) one() {}\nfunc free() {}\n",
		"internal/a/a_linux.go":  "package a\nfunc (t *T) three() {}\n",
		"internal/a/a_darwin.go": "package a\nfunc (t *T) three() {}\n",
		"internal/a/a_test.go":   "package a\nfunc (t *T) four() {}\n",
		"internal/b/c/c.go":      "package c\ntype T int\nfunc (t *(T)) one() {}\n",
	})
	for _, tt := range []struct {
		name      string
		got, want map[string]int
	}{
		{"methods", countMethods(all), map[string]int{"a.T": 3, "a.G": 1, "a.H": 1, "b/c.T": 1}},
		{"lines of packages", countPackageLines(all), map[string]int{"a": 13, "b/c": 3}},
		{"lines of files", countLines(all), map[string]int{"internal/a/a.go": 9, "internal/a/a_linux.go": 2, "internal/a/a_darwin.go": 2, "internal/b/c/c.go": 3}},
	} {
		if !maps.Equal(tt.got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}
