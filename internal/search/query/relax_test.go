package query

import "testing"

func TestRelax(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ input, want string }{
		{"project planning ideas", "(or project planning ideas)"},
		{"what is the best plan", "(or best plan)"},
		{"The Who", "(or The Who)"},
		{`"a plan for" it`, "plan"},
		{"a -b c d tag:x", "(and (or c d) (not b))"},
		{"(a1 OR b1) c1", "(or a1 b1 c1)"},
		{"title:x y z", "(and title:x (or y z))"},
		{"title:x OR y z", "(and (or title:x y z) (or title:x (and y z)))"},
		{"a1 (b1 OR type:x)", "(and (or a1 b1) (or b1 type:x))"},
		{"x x y", "(or x y)"},
		{"high-speed IL-6", "(or high speed IL 6)"},
		{"state-of-the-art", "(or state art)"},
		{`"well–known and/or" title:a/b`, "(and (or well known) title:a/b)"},
		{"since 2024-03-01 node.js", "(or since 2024-03-01 node.js)"},
		{"x well-k*", "(or x well-k*)"},
	} {
		q := Parse(c.input, testNow)
		r, ok := Relax(q)
		if got := dump(r.Root); got != c.want || !ok {
			t.Errorf("%q: %s, %v, want %s", c.input, got, ok, c.want)
		}
		if len(r.Filters) != len(q.Filters) {
			t.Errorf("%q lost its filters", c.input)
		}
	}
	for _, input := range []string{"", "word", "a1 OR b1", "-x", "tag:x", "title:x -y", "title:x y", "y title:x", "2024-03-01", "-/-"} {
		if r, ok := Relax(Parse(input, testNow)); ok {
			t.Errorf("%q becomes %s", input, dump(r.Root))
		}
	}
}

func TestComplete(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ input, want string }{
		{"wor", "wor*"},
		{"one tw", "(and one tw*)"},
		{"one OR title:tw", "(or one title:tw*)"},
		{"a (b OR c)", "(and a (or b c*))"},
	} {
		q := Parse(c.input, testNow)
		before := dump(q.Root)
		r, ok := Complete(q)
		if got := dump(r.Root); got != c.want || !ok {
			t.Errorf("%q: %s, %v, want %s", c.input, got, ok, c.want)
		}
		if dump(q.Root) != before {
			t.Errorf("%q was changed", c.input)
		}
	}
	for _, input := range []string{"", "wor*", `"a b"`, "a -b", "tag:x"} {
		if r, ok := Complete(Parse(input, testNow)); ok {
			t.Errorf("%q becomes %s", input, dump(r.Root))
		}
	}
}

func TestTerms(t *testing.T) {
	t.Parallel()
	got := ""
	for _, n := range Terms(Parse(`a -b ("c d" OR e*) tag:x NOT (f g)`, testNow).Root) {
		got += dump(n) + " "
	}
	if got != "a [c d] e* " {
		t.Errorf("got %s", got)
	}
}
