package merge_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/merge"
	"github.com/cairn-kb/cairn/internal/doc/org"
)

func TestLinks(t *testing.T) {
	t.Parallel()
	const id = ":PROPERTIES:\n:ID: 0f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9\n:END:\n"
	for _, tc := range []struct {
		name, base, ours, theirs, want string // want "": ours differs in more than links
		codec                          doc.Codec
	}{
		{name: "nothing else", base: "[[c]] [[c]]\n", ours: "[[b]] [[c]]\n", theirs: "[[c]] [[c]]\n", want: "[[b]] [[c]]\n"},
		{name: "in the same line", base: "of [[c]] and [[c]]\n", ours: "of [[b]] and [[c]]\n", theirs: "of [[c]] or [[c]]!\n", want: "of [[b]] or [[c]]!\n"},
		{name: "a link before", base: "of [[c]] and [[c]]\n", ours: "of [[b]] and [[c]]\n", theirs: "[[c]]: of [[c]] and [[c]]\n", want: "[[c]]: of [[b]] and [[c]]\n"},
		{name: "changed by theirs", base: "[[c]] x [[c]]\n", ours: "[[b]] x [[b]]\n", theirs: "[[d]] x [[c]]\n", want: "[[d]] x [[b]]\n"},
		{name: "taken out", base: "x [[c]] y\n", ours: "x [[b]] y\n", theirs: "x y\n", want: "x y\n"},
		{name: "no link any more", base: "x [[c]] y\n", ours: "x [[b]] y\n", theirs: "x `[[c]]` y\n", want: "x `[[c]]` y\n"},
		{name: "relations, headings, names", base: "- of [[c]]\n\n[[c#h|c]] [c](c.md)\n", ours: "- of [[b]]\n\n[[b#h|c]] [c](b.md)\n", theirs: "- of [[c]]\n- [[c]]\n\n[[c#h|c]] [c](c.md)\n", want: "- of [[b]]\n- [[c]]\n\n[[b#h|c]] [c](b.md)\n"},
		{name: "line ends and mark", base: "\xef\xbb\xbf[[c]]\r\n", ours: "\xef\xbb\xbf[[b]]\r\n", theirs: "\xef\xbb\xbf[[c]]\r\nmore\r\n", want: "\xef\xbb\xbf[[b]]\r\nmore\r\n"},
		{name: "a word besides", base: "of [[c]]\n", ours: "on [[b]]\n", theirs: "of [[c]]\nmore\n"},
		{name: "a line end besides", base: "of [[c]]\n", ours: "of [[b]]", theirs: "of [[c]]\nmore\n"},
		{name: "the name besides", base: "of [[c|x]]\n", ours: "of [[b|y]]\n", theirs: "of [[c|x]]\nmore\n"},
		{name: "a link more", base: "of [[c]]\n", ours: "of [[b]] [[b]]\n", theirs: "of [[c]]\nmore\n"},
		{name: "another encoding", base: "of [[c]]\n", ours: "\xef\xbb\xbfof [[b]]\n", theirs: "of [[c]]\nmore\n"},
		{name: "Org", codec: org.Codec{}, base: id + "[[file:c.org][c]]\n", ours: id + "[[file:b.org][c]]\n", theirs: id + "* More\n[[file:c.org][c]]\n", want: id + "* More\n[[file:b.org][c]]\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			codec, path := doc.Codec(markdown.Codec{}), "a.md"
			if tc.codec != nil {
				codec, path = tc.codec, "a.org"
			}
			got, ok := merge.Links(codec, path, []byte(tc.base), []byte(tc.ours), []byte(tc.theirs))
			if string(got) != tc.want || ok != (tc.want != "") {
				t.Errorf("got %q, %t; want %q", got, ok, tc.want)
			}
			if only := merge.OnlyLinks(codec, path, []byte(tc.base), []byte(tc.ours)); only != ok {
				t.Errorf("only links: %t", only)
			}
		})
	}
}
