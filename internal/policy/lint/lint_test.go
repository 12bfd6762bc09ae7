package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/org"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lint"
)

const strict = `
format = "org"
[lint]
fatal = ["id-missing", "id-invalid", "title-missing", "active-content"]
[[schema]]
required = ["summary"]
values = { status = ["current", "contested"] }
patterns = { projects = "[a-z0-9]+(-[a-z0-9]+)*" }
`

func parsed(t *testing.T, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func shown(found []lint.Finding) (out []string) {
	for _, f := range found {
		out = append(out, fmt.Sprintf("%d %s %s", f.Line, f.Severity, f.Rule))
	}
	return out
}

func TestDocument(t *testing.T) {
	t.Parallel()
	p := parsed(t, strict)
	drawer := func(lines ...string) string {
		return ":PROPERTIES:\n:ID: " + idA + "\n:SUMMARY: One line.\n" + strings.Join(lines, "") + ":END:\n#+title: Node\n"
	}
	front := func(lines ...string) string {
		return "---\nid: " + idA + "\ntitle: Node\nsummary: One line.\n" + strings.Join(lines, "") + "---\n"
	}
	for _, tt := range []struct {
		name, path, text string
		want             []string
	}{
		{"a node", "a.org", drawer(":STATUS: current\n", ":PROJECTS: :general:my-work:\n") + "Text.\n", nil},
		{"a node in Markdown", "a.md", front("status: current\n", "projects: [general, my-work]\n") + "Text.\n", nil},
		{"nothing", "a.org", "", []string{"1 fatal id-missing", "1 fatal property-missing", "1 fatal title-missing"}},
		{"nothing in Markdown", "a.md", "", []string{"1 fatal id-missing", "1 fatal property-missing", "1 fatal title-missing"}},
		{"an id of a heading is enough", "a.org", "#+title: T\n" + drawer()[:0] + "* H\n:PROPERTIES:\n:ID: " + idA + "\n:END:\n", []string{"1 fatal property-missing"}},
		{"no UUID", "a.org", ":PROPERTIES:\n:SUMMARY: S\n:ID: seven\n:END:\n#+title: T\n", []string{"3 fatal id-invalid"}},
		{"no UUID in Markdown", "a.md", "---\nsummary: S\nid: seven\ntitle: T\n---\n", []string{"3 fatal id-invalid"}},
		{"an empty title", "a.org", strings.Replace(drawer(), "Node", "", 1), []string{"1 fatal title-missing"}},
		{"values", "a.org", drawer(":STATUS: bogus\n", ":PROJECTS: :Bad_Slug:general:\n"), []string{"4 fatal value-invalid", "5 fatal value-invalid"}},
		{"values in Markdown", "a.md", front("status: bogus\n", "projects: [Bad Slug, general]\n"), []string{"5 fatal value-invalid", "6 fatal value-invalid"}},
		{"a value that is no line of its own", "a.org", drawer(":STATUS: current x\n"), []string{"4 fatal value-invalid"}},
		{"drawers", "a.org", drawer() + "* H\nText\n:PROPERTIES:\n:A: b\n:END:\n* I\n:PROPERTIES:\nno\n:END:\n* J\n:PROPERTIES:\n:A: b\n",
			[]string{"8 fatal drawer-misplaced", "12 fatal drawer-malformed", "16 fatal drawer-unclosed"}},
		{"a block", "a.org", drawer() + "#+begin_src sh\nls\n", []string{"6 fatal block-unclosed"}},
		{"frontmatter without end", "a.md", "---\ntitle: T\n", []string{"1 fatal frontmatter-invalid"}},
		{"frontmatter that is no map", "a.md", "---\n- a\n- b\n---\n", []string{"2 fatal frontmatter-invalid"}},
		{"a drawer without end", "a.org", ":PROPERTIES:\n:ID: " + idA + "\n:SUMMARY: S.\n#+title: T\n", []string{"1 fatal drawer-unclosed"}},
		{"a key twice", "a.md", front("title: Other\n"), []string{"5 warning property-repeated"}},
		{"a property twice", "a.org", drawer(":SUMMARY: Two.\n"), []string{"4 warning property-repeated"}},
		{"an id twice in one file", "a.org", drawer() + "* H\n:PROPERTIES:\n:ID: " + idA + "\n:END:\n", []string{"6 fatal id-repeated"}},
		{"conflict", "a.org", drawer() + "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n", []string{"6 fatal conflict-markers"}},
		{"conflict in Markdown", "a.md", front() + "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n", []string{"6 fatal conflict-markers"}},
		{"markers that are shown", "a.org", drawer() + "#+begin_example\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n#+end_example\n", nil},
		{"no text", "a.org", "\x00\x01\x02\xff\xfe\x00", []string{"1 fatal no-text"}},
		{"secret", "a.md", front() + "token: ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5\n", []string{"6 fatal secret"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var codec doc.Codec = org.Codec{}
			if strings.HasSuffix(tt.path, ".md") {
				codec = markdown.Codec{}
			}
			if diff := cmp.Diff(tt.want, shown(lint.Document(codec.Parse(tt.path, []byte(tt.text)), p))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What Emacs would run when somebody opens a file is found; what it only shows is not.
func TestActiveContent(t *testing.T) {
	t.Parallel()
	p := parsed(t, strict)
	for _, tt := range []struct {
		text   string
		active bool
	}{
		{"# -*- eval: (delete-file \"x\") -*-\n", true},
		{"# -*- mode: org; eval: (x) -*-\n", true},
		{"# -*- org -*-\n", false},
		{"# -*- mode: org; coding: utf-8 -*-\n", false},
		{"\n\n\n# -*- eval: (x) -*-\n", false},
		{"Text.\n# Local Variables:\n# eval: (x)\n# End:\n", true},
		{"# LOCAL VARIABLES:\n# eval: (x)\n# END:\n", true},
		{"A text about local variables: they have a list.\n", false},
		{"[[elisp:(delete-file \"x\")][read me]]\n", true},
		{"[[ELISP:(x)]]\n", true},
		{"<shell:ls>\n", true},
		{"[[shell:rm -r ~][a picture]]\n", true},
		{"a=[[elisp:(x)]]=b\n", true}, // no verbatim text, since letters stand around it
		{"~x~ [[elisp:(x)]] ~y~\n", true},
		{"See =[[elisp:(x)]]= and ~[[shell:ls]]~.\n", false},
		{"#+begin_src org\n[[elisp:(x)]]\n#+end_src\n", false},
		{"#+begin_quote\n[[elisp:(x)]]\n#+end_quote\n", true},
		{"#+begin_src org\n#+end_src\n[[elisp:(x)]]\n", true},
		{"#+LINK: doc elisp:%s\n", true},
		{"#+link: doc https://example.org/\n", false},
		{"#+SETUPFILE: https://example.org/theme.setup\n", true},
		{"#+setupfile: /ssh:host:/x\n", true},
		{"#+SETUPFILE: theme.setup\n", false},
		{"#+INCLUDE: \"/ssh:host:/etc/passwd\"\n", true},
		{"#+MACRO: now (eval (shell-command \"ls\"))\n", true},
		{"#+macro: name text\n", false},
		{"#+BIND: org-export-x (y)\n", true},
		{"<%%(delete-file \"x\")>\n", true},
		{"%%(diary-anniversary 1 1)\n", true},
		{"100%%(of them)\n", false},
	} {
		found := lint.Document(org.Codec{}.Parse("a.org", []byte(node(idA, "")[:0]+tt.text)), p)
		active := false
		for _, f := range found {
			active = active || f.Rule == policy.LintActive
		}
		if active != tt.active {
			t.Errorf("%q: active %v, want %v", tt.text, active, tt.active)
		}
	}
	md := lint.Document(markdown.Codec{}.Parse("a.md", []byte("<!-- -*- eval: (x) -*- -->\nA [link](elisp:x)\n")), p)
	if got := shown(md); len(got) == 0 || got[0] != "1 fatal active-content" {
		t.Errorf("Markdown: %v", got)
	}
}

// A source is looked through for credentials and markers; what is no text is passed
// over, whatever it is called.
func TestSource(t *testing.T) {
	t.Parallel()
	p := parsed(t, strict)
	secret := "key ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5\n"
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"An excerpt.\n" + secret, []string{"2 fatal secret"}},
		{"PNG\x00\x00" + secret, nil},
		{"<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n", []string{"1 fatal conflict-markers"}},
	} {
		if diff := cmp.Diff(tt.want, shown(lint.Source("raw/x.png", []byte(tt.text), p))); diff != "" {
			t.Errorf("%q: %s", tt.text, diff)
		}
	}
}

// A change is judged by what it breaks: faults that move with the lines are no new
// ones, and a second one of a kind is.
func TestNew(t *testing.T) {
	t.Parallel()
	fault := func(line int, message string) lint.Finding {
		return lint.Finding{Rule: policy.LintStyle, Severity: policy.Warning, Path: "a", Line: line, Message: message}
	}
	before := []lint.Finding{fault(1, "x"), fault(2, "y")}
	after := []lint.Finding{fault(5, "x"), fault(6, "x"), fault(7, "z")}
	if diff := cmp.Diff([]lint.Finding{fault(6, "x"), fault(7, "z")}, lint.New(before, after)); diff != "" {
		t.Error(diff)
	}
}

// A space says which rules matter, and a name that is no rule is refused.
func TestSeverity(t *testing.T) {
	t.Parallel()
	p := parsed(t, "format = \"org\"\n[lint]\noff = [\"secret\", \"block-unclosed\"]\nwarn = [\"conflict-markers\"]\n")
	text := "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n#+begin_src\nghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5\n"
	if diff := cmp.Diff([]string{"1 warning conflict-markers"}, shown(lint.Document(org.Codec{}.Parse("a.org", []byte(text)), p))); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"fatal = [\"no-rule\"]", "fatal = [\"secret\"]\nwarn = [\"secret\"]"} {
		if _, err := policy.Parse([]byte("format = \"org\"\n[lint]\n" + bad + "\n")); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := policy.Parse([]byte("format = \"org\"\n[[schema]]\npatterns = { a = \"(\" }\n")); kb.CodeOf(err) != kb.Invalid {
		t.Errorf("a pattern that is none: %v", err)
	}
}
