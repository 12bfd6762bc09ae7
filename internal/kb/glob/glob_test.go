package glob

import (
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/cairn-kb/cairn/internal/kb"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern   string
		yes, no   []string
		different bool // from doublestar, which expands braces as text
	}{
		{pattern: "a/*.md", yes: []string{"a/b.md", "a/.md"}, no: []string{"a/b/c.md", "a/b.org"}},
		{pattern: "a/**", yes: []string{"a", "a/", "a/b", "a/b/c"}, no: []string{"ab", "b/a"}},
		{pattern: "**/b", yes: []string{"b", "a/b", "a/c/b"}, no: []string{"ab", "b/a", "a/bb"}},
		{pattern: "a/**/b", yes: []string{"a/b", "a/x/b", "a/x/y/b"}, no: []string{"ab", "a/xb"}},
		{pattern: "a/**/", yes: []string{"a", "a/", "a/b/"}, no: []string{"a/b"}},
		{pattern: "a**b", yes: []string{"ab", "axxb"}, no: []string{"a/b"}},
		{pattern: "a/**b", yes: []string{"a/b", "a/xb"}, no: []string{"a/x/b"}},
		{pattern: "**", yes: []string{"", "a", "a/b"}},
		{pattern: "?", yes: []string{"a", "é", "的"}, no: []string{"", "ab", "/"}},
		{pattern: "[a-cx]", yes: []string{"a", "b", "x"}, no: []string{"d", "-"}},
		{pattern: "[!a]", yes: []string{"b"}, no: []string{"a", ""}},
		{pattern: "[a-]", yes: []string{"a", "-"}, no: []string{"b"}},
		{pattern: `[\]]`, yes: []string{"]"}, no: []string{`\`}},
		{pattern: `\*`, yes: []string{"*"}, no: []string{"a", `\*`}},
		{pattern: "{a,b}/c", yes: []string{"a/c", "b/c"}, no: []string{"c", "ab/c"}},
		{pattern: "{a,{b,c}d}", yes: []string{"a", "bd", "cd"}, no: []string{"b", "ad"}},
		{pattern: "x{,y}", yes: []string{"x", "xy"}, no: []string{"y"}},
		{pattern: "{**,a}/b", yes: []string{"b", "a/b", "x/y/b"}, no: []string{"a"}},
		{pattern: "{a/,b}**", yes: []string{"a/x", "bx"}, no: []string{"b/x"}},
		{pattern: "a,b", yes: []string{"a,b"}, no: []string{"a"}},
		{pattern: "[{,}]", yes: []string{"{", ",", "}"}, no: []string{"a"}},
		{pattern: "a*{,b}", yes: []string{"a", "ab", "axb"}, different: true},
	} {
		g, err := Compile(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		for want, paths := range map[bool][]string{true: c.yes, false: c.no} {
			for _, path := range paths {
				if g.Match(path) != want {
					t.Errorf("%s matches %q: %v", c.pattern, path, !want)
				}
				if there := doublestar.MatchUnvalidated(c.pattern, path); there != want && !c.different {
					t.Errorf("doublestar: %s matches %q: %v", c.pattern, path, there)
				}
			}
		}
	}
}

func TestMalformed(t *testing.T) {
	t.Parallel()
	for _, p := range []string{"[", "[]", "[]a]", "[a", "{", "{a", "a}", "{a,{b}", `\`, `a\`, "[!", `[\`, strings.Repeat("a", MaxLen+1)} {
		if _, err := Compile(p); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%.20q: %v", p, err)
		}
		if Valid(p) || Match(p, p) {
			t.Errorf("%.20q is taken", p)
		}
	}
}

// However a pattern is nested, a path is one walk over it: each character
// looks at each state once.
func TestWorkIsBounded(t *testing.T) {
	t.Parallel()
	path := strings.Repeat("ab/", 40) + "c"
	for name, pattern := range map[string]string{
		"nested braces":   strings.Repeat("{a,b", 200) + strings.Repeat("}", 200),
		"braces in a row": strings.Repeat("{a,b,ab/,}", 100),
		"empty ones":      strings.Repeat("{,}", 300),
		"stars":           strings.Repeat("*a", 500),
		"deep stars":      strings.Repeat("**/", 300) + "d",
		"both":            strings.Repeat("{**/,*a}", 100) + "d",
		"stars in braces": "{" + strings.Repeat("*a*,", 200) + "}",
	} {
		g, err := Compile(pattern)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(g.states) > 6*len(pattern) {
			t.Errorf("%s: %d states of %d bytes", name, len(g.states), len(pattern))
		}
		g.Match(path)
		if steps := g.walk.steps; steps > 2*len(g.states)*(len(path)+1) {
			t.Errorf("%s: %d steps for %d states and %d characters", name, steps, len(g.states), len(path))
		}
		before := g.walk.steps
		if g.Match(path); len(g.known) < maxPlaces && g.walk.steps != before {
			t.Errorf("%s: the same path was walked anew", name)
		}
	}
}

func TestEscape(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"a", "a*b", "[x]{y,z}", `a\b?`, "é/的", "\xff*"} {
		if !Match(Escape(path), path) || Match(Escape(path), path+"x") {
			t.Errorf("%q is escaped as %q", path, Escape(path))
		}
	}
}

// FuzzMatch compares with doublestar what both read alike: it joins an
// alternative of braces and what stands around it as text, and at the end of a
// path it knows few of the ways in which the rest of a pattern matches nothing.
func FuzzMatch(f *testing.F) {
	f.Add("a/**/b*", "a/x/bc")
	f.Add("[a-c]?/**", "b/")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if len(pattern) > 64 || len(path) > 64 || path == "" {
			return
		}
		if strings.ContainsAny(pattern, "{}") || strings.Contains(pattern, "**") {
			Match(pattern, path) // ends
			return
		}
		if Valid(pattern) != doublestar.ValidatePattern(pattern) {
			return // it validates bytes and we characters
		}
		got, want := Match(pattern, path), doublestar.MatchUnvalidated(pattern, path)
		if got != want {
			t.Errorf("%q, %q: %v, and doublestar says %v", pattern, path, got, want)
		}
	})
}
