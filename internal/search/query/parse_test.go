package query

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// testNow is a Saturday.
var testNow = time.Date(2026, 11, 21, 15, 4, 5, 6, time.UTC)

// dump writes a tree as an S-expression.
func dump(n Node) string {
	list := func(name string, nodes []Node) string {
		parts := []string{name}
		for _, c := range nodes {
			parts = append(parts, dump(c))
		}
		return "(" + strings.Join(parts, " ") + ")"
	}
	switch n := n.(type) {
	case *And:
		return list("and", n.Nodes)
	case *Or:
		return list("or", n.Nodes)
	case *Not:
		return list("not", []Node{n.Node})
	case *Phrase:
		return n.Field + "[" + n.Text + "]"
	case *All:
		return "all"
	}
	return n.String()
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		input, tree, filters string
		notes                int
	}{
		{"", "all", "", 0},
		{"  \t\n ", "all", "", 0},
		{"a", "a", "", 0},
		{"a b c", "(and a b c)", "", 0},
		{"a AND b", "(and a b)", "", 0},
		{"a b OR c d", "(or (and a b) (and c d))", "", 0},
		{"a (b OR c)", "(and a (or b c))", "", 0},
		{"a NOT b -c", "(and a (not b) (not c))", "", 0},
		{"NOT NOT a", "a", "", 0},
		{"-(a b)", "(not (and a b))", "", 0},
		{`"a b" -"c d"`, "(and [a b] (not [c d]))", "", 0},
		{"“a b” x", "(and [a b] x)", "", 0},
		{"and or not", "(and and or not)", "", 0},
		{"pre* *", "pre*", "", 0},
		{"*", "all", "", 0},
		{"title:word title:pre*", "(and title:word title:pre*)", "", 0},
		{`title:"two words"`, "title[two words]", "", 0},
		{`name:huang Name:"river ai" -name:x`, "(and name:huang name[river ai] (not name:x))", "", 0},
		{"name: x", "(and name: x)", "", 1},

		// Filters.
		{"a type:note", "a", "type:note", 0},
		{"type:note -tag:x space:main path:docs/** status:stale", "all", "type:note -tag:x space:main path:docs/** status:stale", 0},
		{"TYPE:Note NOT tag:x", "all", "type:Note -tag:x", 0},
		{`type:"decision record" a`, "a", `type:"decision record"`, 0},
		{"(a tag:x) b", "(and a b)", "tag:x", 0},
		{"a OR tag:x", "(or a tag:x)", "", 0},
		{"-(a tag:x)", "(not (and a tag:x))", "", 0},
		{"after:2026-03 before:yesterday", "all", "after:2026-03 before:yesterday", 0},
		{`after:"last week"`, "all", `after:"last week"`, 0},

		// Everything else is text.
		{"after:foo", "after:foo", "", 1},
		{`before:"next thing" a`, "(and [before:next thing] a)", "", 1},
		{"tag:", "tag:", "", 1},
		{`tag:"" a`, "(and tag: a)", "", 1},
		{"key:value http://x.org/a?b=c C:\\dir", "(and key:value http://x.org/a?b=c C:\\dir)", "", 0},
		{"std::vector<T> C++ #tag --flag foo_bar", "(and std::vector<T> C++ #tag --flag foo_bar)", "", 0},
		{"f(x) (g(y) OR h)", "(and f(x) (or g(y) h))", "", 0},
		{`"open quote`, "(and open quote)", "", 1},
		{`tag:"open quote`, "quote", "tag:open", 1},
		{"(a OR b", "(or a b)", "", 0},
		{"a) b", "(and a b)", "", 0},
		{"() a ( )", "a", "", 0},
		{"a(b c", "(and a b c)", "", 0},
		{"OR", "[OR]", "", 0},
		{"NOT AND", "(and [NOT] [AND])", "", 0},
		{"a OR", "a", "", 0},
		{"OR a AND", "a", "", 0},
		{"a NOT", "a", "", 0},
		{"a - b", "(and a - b)", "", 0},
		{"a\x00b\xff", "(and a b)", "", 0},
		{"it's", "it's", "", 0},
		{`say"hi" x`, `(and say"hi" x)`, "", 0},
	} {
		q := Parse(c.input, testNow)
		var filters []string
		for i := range q.Filters {
			filters = append(filters, q.Filters[i].String())
		}
		if got := dump(q.Root); got != c.tree {
			t.Errorf("%q: tree %s, want %s", c.input, got, c.tree)
		}
		if got := strings.Join(filters, " "); got != c.filters {
			t.Errorf("%q: filters %s, want %s", c.input, got, c.filters)
		}
		if len(q.Notes) != c.notes {
			t.Errorf("%q: notes %q", c.input, q.Notes)
		}
	}
}

func TestNotesSayWhatHappened(t *testing.T) {
	t.Parallel()
	q := Parse("after:foo", testNow)
	if want := []string{`"after:foo" is not a date; searched as text`}; !reflect.DeepEqual(q.Notes, want) {
		t.Errorf("got %q", q.Notes)
	}
}

func TestDateFilters(t *testing.T) {
	t.Parallel()
	q := Parse("after:2026-03 before:2026-03", testNow)
	march := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	if !q.Filters[0].Time.Equal(march) || !q.Filters[1].Time.Equal(march) {
		t.Errorf("got %v", q.Filters)
	}
}

func TestLongInputIsCut(t *testing.T) {
	t.Parallel()
	q := Parse(strings.Repeat("a ", 100_000), testNow)
	if n := len(q.Root.(*And).Nodes); n != maxWords || len(q.Notes) != 1 {
		t.Errorf("%d words, notes %q", n, q.Notes)
	}
	Parse(strings.Repeat("(a OR ", 100_000)+strings.Repeat(")", 100_000), testNow)
	Parse(strings.Repeat("-", 100_000)+"a", testNow)
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`a OR (b "c d" -e) type:"x y" after:yesterday`, `tag:"x type:"y z"`, `(a)b OR c)`, `NOT --flag`, `-tag: -"`,
		`title:"a" title:-b OR OR`, `tag:* type:( path:a(b)c`, `after:"foo bar" before:-x*`, `“x”:y`, `a -()`, `((a OR b) c) -(-(d e))`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, input string) {
		q := Parse(input, testNow)
		if q.Root == nil {
			t.Fatal("no root")
		}
		text := q.String()
		again := Parse(text, testNow)
		again.Notes, q.Notes = nil, nil
		if !reflect.DeepEqual(q, again) && len(lexAll(text)) <= maxWords {
			t.Errorf("%q is %q, which is %q\n%s\n%s", input, text, again.String(), dump(q.Root), dump(again.Root))
		}
		if r, ok := Relax(q); ok {
			Parse(r.String(), testNow)
		}
		Complete(q)
	})
}

func lexAll(text string) []token {
	tokens, _ := lex(text, false)
	return tokens
}

// Operators of other programs are understood or reported.
func TestForeignOperators(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ input, want, note string }{
		{"file:plan x", `x file:plan`, ""},
		{`-file:"a b"`, `-file:"a b"`, ""},
		{"created:2026 x", "created:2026 x", `created: is an operator of other programs; "created:2026" was searched as text`},
		{"task-todo:buy", "task-todo:(buy)", ""},
		{`line:(a "b c") x`, `x line:(a "b c")`, ""},
		{`-Section:"b c" x`, `x -section:("b c")`, ""},
		{`task:"" task-done:()`, `task:() task-done:()`, ""},
		{"line:/a.c/ x", "x line:(/a.c/)", ""},
		{"line: x", "line: x", `"line:" has no value; searched as text`},
		{"line:(tag:x y)", "line:(tag:x y)", "line: asks for words and regular expressions; tag:x was left out"},
		{"line:(task:x y)", "line:(task:x y)", "task: within the value of another operator was searched as text"},
		{"line:(a x", "line: a x", `"line:" has no value; searched as text`},
		{"(a OR -block:b)", "a OR -block:(b)", ""},
		{`/ab+c/ x`, `x /ab+c/`, ""},
		{`x -/a \d/`, `x -/a \d/`, ""},
		{`/a(?=b)/`, `/a(?=b)/`, "/a(?=b)/ was searched as text: it is not a regular expression in the syntax of RE2"},
		{"/a*.md and /b/", "/a*.md and /b/", ""},
		{"/usr/", "/usr/", ""},
		{"std:vector", "std:vector", ""},
		{"*ernet*", "*ernet*", ""},
	} {
		q := Parse(c.input, testNow)
		if got := q.String(); got != c.want || strings.Join(q.Notes, "; ") != c.note {
			t.Errorf("%s is %s, %q", c.input, got, q.Notes)
		}
	}
}
