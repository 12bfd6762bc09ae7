package glob

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

// goSyntax has the escapes of PostgreSQL in the form that package regexp takes.
var goSyntax = regexp.MustCompile(`\\u([0-9a-f]{4})`)

func TestPOSIXMatchesTheSamePaths(t *testing.T) {
	t.Parallel()
	patterns := []string{
		"a/*.md", "a/**", "**/b", "a/**/b", "a/**/", "a**b", "a/**b", "**", "?", "[a-cx]", "[!a]", "[a-]", `[\]]`, `\*`, "{a,b}/c", "{a,{b,c}d}",
		"x{,y}", "{**,a}/b", "{a/,b}**", "a,b", "[{,}]", "a*{,b}", "a/{b,c/**}", "**/{a,b}/**", "{a,b}/**/c", "{a/b,c}/**", "é*", "a.b", "(a|b)$",
	}
	paths := []string{
		"", "a", "b", "c", "x", "xy", "y", "/", "a/", "a/b", "a/b/", "a/b/c", "a/x/b", "a/x/y/b", "ab", "axxb", "a/xb", "b/c", "bd", "cd", "bx", "b/x", "a,b", "{", ",", "}",
		"]", `\`, "*", "-", "a/b.md", "a/b/c.md", "é", "éa", "a.b", "axb", "(a|b)$", "x/a/y", "a/c/d", "c/d", "a/b/d", "的",
	}
	for _, pattern := range patterns {
		g, err := Compile(pattern)
		if err != nil {
			t.Fatal(err)
		}
		text, err := POSIX(pattern)
		if err != nil {
			t.Fatal(err)
		}
		x := regexp.MustCompile("(?s)" + goSyntax.ReplaceAllString(text, `\x{$1}`))
		for _, path := range paths {
			if x.MatchString(path) != g.Match(path) {
				t.Errorf("%s matches %q: %v, as %s", pattern, path, !g.Match(path), text)
			}
		}
	}
}

func TestPOSIXIsBounded(t *testing.T) {
	t.Parallel()
	if _, err := POSIX(strings.Repeat("{a,b}", 150)); kb.CodeOf(err) != kb.Invalid {
		t.Error(err)
	}
	if _, err := POSIX("["); kb.CodeOf(err) != kb.Invalid {
		t.Error(err)
	}
}
