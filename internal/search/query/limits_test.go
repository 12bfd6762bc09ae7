package query

import "testing"

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ input, want string }{
		{"", "all"},
		{`rust "exact phrase" go*`, "all"},
		{"rust -draft", "(not draft)"},
		{`rust -"first draft"`, "(not [first draft])"},
		{"rust -(draft old)", "(not (and draft old))"},
		{"-draft", "(not draft)"},
		{"-draft -old", "(and (not draft) (not old))"},
		{"rust title:engine", "title:engine"},
		{`title:"steam engine" rust`, "title[steam engine]"},
		{"rust -title:engine", "(not title:engine)"},
		{"rust OR go", "all"},
		{"rust (type:note OR tag:x)", "(or type:note tag:x)"},
		{"(rust type:note) OR go", "(or type:note go)"},
		{"(rust -draft) OR (go -old)", "(or (not draft) (not old))"},
		{"(rust -draft) OR go", "(or (not draft) go)"},
		{"a1 ((rust -draft) OR go) -c1", "(and (or (not draft) go) (not c1))"},
	} {
		if got := dump(Limits(Parse(c.input, testNow).Root)); got != c.want {
			t.Errorf("%q: %s, want %s", c.input, got, c.want)
		}
	}
}
