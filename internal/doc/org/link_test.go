package org

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
)

func TestScanLinks(t *testing.T) {
	t.Parallel()
	const id = "6d3b8f6e-1111-4222-8333-444455556666"
	for _, c := range []struct {
		text string
		want string // kind raw|name|heading|block|text|type, one link a blank-separated word group
	}{
		{"[[id:abc][Text]]", "org-id abc|abc|||Text|links_to"},
		{"[[id:abc]]", "org-id abc|abc||||links_to"},
		{"[[id:abc::*Now]]", "org-id abc|abc|Now|||links_to"},
		{"[[ID:abc]]", "org-id abc|abc||||links_to"},
		{"[[file:a b.org::*Head][t]]", "org-file a b.org|a b.org|Head||t|links_to"},
		{"[[file:a.md::#custom]]", "org-file a.md|a.md||custom||links_to"},
		{"[[file:a.org::12]]", "org-file a.org|a.org||||links_to"},
		{"[[file:a.org::/re/]]", "org-file a.org|a.org||||links_to"},
		{"[[file+emacs:a.org]]", "org-file a.org|a.org||||links_to"},
		{"[[./a.org]] [[../b.org]]", "org-file ./a.org|./a.org||||links_to; org-file ../b.org|../b.org||||links_to"},
		{"[[file:pic.png]] [[./dir/]]", ""},
		{"[[https://x.y/a.org][t]] [[mailto:a@b]] [[custom://x]]", ""},
		{"[[*Heading here]] [[#custom-id]] [[(coderef)]]", ""},
		{"[[Some Title]]", "wikilink Some Title|Some Title||||links_to"},
		{"[[roam:Some Title]]", "wikilink Some Title|Some Title||||links_to"},
		{"[[std::vector]]", "wikilink std::vector|std::vector||||links_to"},
		{"[[Note: a title][x]]", "wikilink Note: a title|Note: a title|||x|links_to"},
		{"[[over\na line][the\n  text]]", "wikilink over\na line|over a line|||the text|links_to"},
		{`[[a \[b\]]]`, `wikilink a \[b\]|a [b]||||links_to`},
		{`[[C:\\][x]]`, `wikilink C:\\|C:\|||x|links_to`},
		{"[[id:a][text with [brackets] in]]", "org-id a|a|||text with [brackets] in|links_to"},
		{"[[a]b]] [[]] [[a][b", ""},
		{"[[[a]]]", "wikilink a|a||||links_to"},
		{"<id:abc> <file:a.org> <https://x> <b>", "org-id abc|abc||||links_to; org-file a.org|a.org||||links_to"},
		{"see file:a/b.org, and (file:c.org).", "org-file a/b.org|a/b.org||||links_to; org-file c.org|c.org||||links_to"},
		{"xfile:a.org profile:b.org", ""},
		{"id:" + id + " id:123", "org-id " + id + "|" + id + "||||links_to"},
		{"=[[a]]= ~[[b]]~ =a =[[c]]", "wikilink c|c||||links_to"},
		{"src_sh{[[a]]} src_python[:results output]{print([[b]])} call_f([[c]]) call_f[:x [[d]]](1)[[[e]]] xsrc_sh{[[f]]}", "wikilink f|f||||links_to"},
		{"| x | y |\n| $[[a]] | [[b]]$ |\n| $$[[c]] | [[d]]$$ |\n| $[[e]]$ |", "wikilink a|a||||links_to; wikilink b|b||||links_to; wikilink c|c||||links_to; wikilink d|d||||links_to"},
		{"$[[a]]$ $$[[b]]$$ \\([[c]]\\) \\[ [[d]] \\] @@html:[[e]]@@ {{{m([[f]])}}}", ""},
		{"costs $5 for [[a]], $6 for [[b]]$x", "wikilink a|a||||links_to; wikilink b|b||||links_to"},
		{"A seat costs 5$, see [[a]], or 6$ a month.", "wikilink a|a||||links_to"},
		{"$a\n\n[[a]] b$ \\([[b]]", "wikilink a|a||||links_to; wikilink b|b||||links_to"},
		{"\\begin{align}\n[[a]]\n\\end{align}\n[[b]]\n\\begin{x}\n[[c]]", "wikilink b|b||||links_to; wikilink c|c||||links_to"},
		{"=over\n[[a]] one= [[b]]", "wikilink b|b||||links_to"},
		{"=over\ntwo\n[[a]] lines=", "wikilink a|a||||links_to"},
		{"a=[[b]]=c", "wikilink b|b||||links_to"},
		{"SUPERSEDES [[id:a]], CONTRADICTS: [[b]] RELATES_TO\n[[c]] IMPLEMENTS <id:d> DERIVED_FROM [[e]]",
			"org-id a|a||||supersedes; wikilink b|b||||contradicts; wikilink c|c||||relates_to; org-id d|d||||implements; wikilink e|e||||derived_from"},
		{"NOSUPERSEDES [[a]] supersedes [[b]]", "wikilink a|a||||links_to; wikilink b|b||||links_to"},
	} {
		var got []string
		for _, l := range scanLinks(c.text, 0) {
			if c.text[l.Span.Start:l.Span.End] == "" || l.Kind != "" && c.text[l.NameAt.Start:l.NameAt.End] != l.Raw {
				t.Errorf("%q: spans of %+v", c.text, l)
			}
			if l.Kind != "" {
				got = append(got, fmt.Sprintf("%s %s|%s|%s|%s|%s|%s", l.Kind, l.Raw, l.Name, l.Heading, l.Block, l.Text, l.Type))
			}
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, s, c.want)
		}
	}
}

func TestEscapeLink(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "a", "[a]", `\`, `a\`, `\\`, `\[`, `a\b`, `\]\`, `[[x]]`, `a\\]b`} {
		if got := unescapeLink(escapeLink(s)); got != s {
			t.Errorf("%q comes back as %q", s, got)
		}
		text := "[[" + escapeLink(s) + "]]"
		if s != "" && targetEnd(text, 2) != len(text)-2 {
			t.Errorf("%q does not end where the link ends", text)
		}
	}
}

func TestWriteLink(t *testing.T) {
	t.Parallel()
	for target, kind := range map[string]doc.LinkKind{
		"6d3b8f6e-1111-4222-8333-444455556666": doc.OrgID,
		"notes/a.org":                          doc.OrgFile,
		"a.md":                                 doc.OrgFile,
		"A Title":                              doc.WikiLink,
		"odd ] title [":                        doc.WikiLink,
	} {
		links := scanLinks(writeLink(target), 0)
		if len(links) != 1 || links[0].Kind != kind || links[0].Name != target {
			t.Errorf("%q is written %q", target, writeLink(target))
		}
	}
}
