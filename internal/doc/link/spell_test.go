package link

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
)

func TestRelative(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ from, to, want string }{
		{"a.md", "b.md", "b.md"},
		{"a.md", "d/b.md", "d/b.md"},
		{"d/a.md", "b.md", "../b.md"},
		{"d/a.md", "d/b.md", "b.md"},
		{"d/e/a.md", "d/f/b.md", "../f/b.md"},
		{"d/e/a.md", "x/y/b.md", "../../x/y/b.md"},
		{"d/a.md", "d", "../d"},
	} {
		if got := Relative(tc.from, tc.to); got != tc.want {
			t.Errorf("from %s to %s: %s, not %s", tc.from, tc.to, got, tc.want)
		}
	}
}

func TestMention(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ raw, name, to, want string }{
		{"#topic", "topic", "other", "#other"},
		{"#topic", "topic", "two words", "#[[two words]]"},
		{"@ada", "people/ada", "people/bob", "@bob"},
		{"@ada", "people/ada", "bob", "[[bob]]"},
		{"@ada", "people/ada", "people/bob b", "[[people/bob b]]"},
	} {
		target := doc.Target{Kind: doc.Mention, Raw: tc.raw, Name: tc.name}
		if got := Mention(target, tc.to); got != tc.want {
			t.Errorf("%s to %s: %s, not %s", tc.raw, tc.to, got, tc.want)
		}
	}
}

// TestLettersStay: a path that was written in the letters of its language is not percent-encoded.
func TestLettersStay(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ raw, name, to, want string }{
		{"ü/ä%20b.md", "ü/ä b.md", "ö/ä (b) 5%.md", "ö/ä%20%28b%29%205%25.md"},
		{"%C3%BC.md", "ü.md", "ö.md", "%C3%B6.md"},
		{"a.md", "a.md", "ö.md", "%C3%B6.md"},
		{"笔记/计划.md", "笔记/计划.md", "档案/计划.md", "档案/计划.md"},
	} {
		target := doc.Target{Kind: doc.MarkLink, Raw: tc.raw, Name: tc.name}
		if got := Spelled(target, tc.to); got != tc.want {
			t.Errorf("%s to %s: %s, want %s", tc.raw, tc.to, got, tc.want)
		}
	}
}
