package ingest

import (
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/org"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lint"
)

// Whatever the text of a source is, its stub says what it says in metadata, and an editor runs
// and links none of it.
func TestStub(t *testing.T) {
	t.Parallel()
	p, err := policy.Parse([]byte("[lint]\nfatal = [\"active-content\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"Plain.\n", "", "* Heading\n** Deeper\n", "#+end_example\n[[elisp:(kill-emacs)]]\n", "\t #+end_example\n[[elisp:(kill-emacs)]]\n", ",* a comma\n,#+end_example\n",
		"# Local Variables:\n# eval: (message \"no\")\n# End:\n", "```\nfenced\n````\n[[Link]]\n", "-*- eval: (x) -*-\n", "a\r\nb\r\n", "---\ntitle: no\n---\n",
	} {
		s := stub{title: `-*- A "title": with # -*-`, url: "https://example.org/?a=b#c", day: "2026-05-24", whole: "files/x.txt", excerpt: text}
		for format, codec := range map[doc.Format]doc.Codec{doc.Org: org.Codec{}, doc.Markdown: markdown.Codec{}} {
			out := s.text(format)
			d := codec.Parse("raw/stub"+codec.Extensions()[0], out)
			n := &d.Nodes[0]
			if len(d.Nodes) != 1 || len(n.Headings) > 0 || len(n.Links) > 0 && format == doc.Org {
				t.Errorf("%s of %q is more than text:\n%s", format, text, out)
			}
			if title, _ := n.Property("title"); len(title.Values) != 1 || title.Values[0] != s.title {
				t.Errorf("%s of %q has the title %q", format, text, title.Values)
			}
			if first, _, _ := strings.Cut(string(out), "\n"); strings.Contains(first, "-*-") {
				t.Errorf("%s of %q begins with %q", format, text, first)
			}
			for _, f := range lint.Document(d, p) {
				if f.Rule == policy.LintActive && !strings.Contains(text, "Local Variables") {
					t.Errorf("%s of %q: %s\n%s", format, text, f.Message, out)
				}
			}
			if strings.Contains(text, "Local Variables") && !strings.HasSuffix(string(out), "\n\f\n") {
				t.Errorf("%s of %q does not end with an empty page", format, text)
			}
		}
	}
}

// Addresses that run something are no sources, however they are spelled.
func TestActiveAddresses(t *testing.T) {
	t.Parallel()
	e := &memory.Session{Now: time.Now}
	for _, address := range []string{"elisp:(kill-emacs)", "Shell:ls", "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "vbscript:x", "file+sys:/bin/x", "file+emacs:x"} {
		if _, err := makeStub(e, api.SourceRequest{URL: address}); kb.CodeOf(err) != kb.Usage {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"https://example.org", "doi:10.1000/182", "urn:isbn:0451450523", "file:///srv/paper.pdf"} {
		if _, err := makeStub(e, api.SourceRequest{URL: address}); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}
