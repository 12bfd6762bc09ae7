package lint_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/org"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lint"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// checkers are those of Emacs' org-lint that find what makes a node unfit, with the
// rule that finds it here.
var checkers = map[string][]policy.LintRule{
	"obsolete-properties-drawer": {policy.LintDrawerMalformed, policy.LintDrawerMisplaced},
	"incomplete-drawer":          {policy.LintDrawerUnclosed},
	"invalid-block":              {policy.LintBlockUnclosed},
	"invalid-id-link":            {policy.LintLinkDead},
}

// style are the other checkers of Emacs 28 and later ones: what they find reads, shows or exports
// badly, but every program finds the node and its links. A checker that is in neither
// list is new, and somebody has to say which of the two it is.
var style = strings.Fields(`duplicate-custom-id duplicate-name duplicate-target
	duplicate-footnote-definition orphaned-affiliated-keywords obsolete-affiliated-keywords
	deprecated-export-blocks deprecated-header-syntax missing-language-in-src-block
	missing-backend-in-export-block invalid-babel-call-block colon-in-name
	wrong-header-argument wrong-header-value deprecated-category-setup invalid-coderef-link
	invalid-custom-id-link invalid-fuzzy-link link-to-local-file
	non-existent-setupfile-parameter wrong-include-link-parameter obsolete-include-markup
	unknown-options-item invalid-macro-argument-and-template
	special-property-in-properties-drawer invalid-effort-property
	undefined-footnote-reference unreferenced-footnote-definition
	extraneous-element-in-footnote-section invalid-keyword-syntax misplaced-planning-info
	indented-diary-sexp quote-section file-application percent-encoding-link-escape
	spurious-colons non-existent-bibliography missing-print-bibliography
	invalid-cite-export-declaration incomplete-citation misplaced-heading
	empty-header-argument empty-headline-with-tags bad-cite-style timestamp-syntax
	inactive-planning named-result suspicious-language-in-src-block item-number
	priority LaTeX-$ LaTeX-$-ambiguous beamer-frame export-option-keywords
	misplaced-planning`)

// beyond are the rules that no checker of org-lint has.
var beyond = []policy.LintRule{
	policy.LintIDMissing, policy.LintIDInvalid, policy.LintIDRepeated, policy.LintTitleMissing,
	policy.LintPropertyMissing, policy.LintValueInvalid, policy.LintPropertyRepeated,
	policy.LintConflict, policy.LintNoText, policy.LintSecret, policy.LintActive,
	policy.LintStyle, policy.LintFrontmatter, policy.LintIndex, policy.LintSourceMissing, policy.LintSourceLarge, policy.LintAnchorMissing,
}

const (
	idA = "11111111-1111-4111-8111-111111111111"
	idB = "22222222-2222-4222-8222-222222222222"
	idC = "33333333-3333-4333-8333-333333333333"
)

func node(id, rest string) string {
	return ":PROPERTIES:\n:ID: " + id + "\n:END:\n#+title: Node\n" + rest
}

// forEmacs are files of which both programs must say the same.
var forEmacs = map[string]string{
	"good.org":          node(idA, "Text [[id:"+idB+"][other]].\n\n* Heading\n:PROPERTIES:\n:KEY: value\n:END:\nMore.\n"),
	"other.org":         node(idB, "#+begin_quote\nA quote with [[id:"+idA+"]].\n#+end_quote\n"),
	"dead.org":          node("44444444-4444-4444-8444-444444444444", "One [[id:"+idC+"][dead]] link,\nand another [[id:"+idC+"]].\n"),
	"malformed.org":     ":PROPERTIES:\n:ID: 55555555-5555-4555-8555-555555555555\nno property\n:END:\n#+title: Malformed\nText.\n",
	"misplaced.org":     node("66666666-6666-4666-8666-666666666666", "* Heading\nText first.\n:PROPERTIES:\n:KEY: value\n:END:\n"),
	"unclosed.org":      ":PROPERTIES:\n:ID: 77777777-7777-4777-8777-777777777777\n#+title: Unclosed\nText.\n",
	"block.org":         node("88888888-8888-4888-8888-888888888888", "#+begin_src sh\nls\n\nNo end.\n"),
	"verbatim.org":      node("99999999-9999-4999-8999-999999999999", "Shown: =[[id:"+idC+"]]= and\n#+begin_example\n[[id:"+idC+"]]\n#+end_example\n# [[id:"+idC+"]] in a comment\n"),
	"plain-drawer.org":  node("aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa", ":LOGBOOK:\nfree text\n:END:\nText.\n"),
	"heading-only.org":  "* Node\n:PROPERTIES:\n:ID: bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb\n:END:\nText.\n",
	"nested-blocks.org": node("cccccccc-cccc-4ccc-8ccc-cccccccccccc", "#+begin_quote\n#+begin_src sh\nls\n#+end_src\n#+end_quote\n"),
}

const orgLint = `
(require 'org) (require 'org-lint) (require 'org-id)
(setq org-id-locations-file (expand-file-name "ids" default-directory))
(let ((inhibit-message t)) (org-id-update-id-locations command-line-args-left t))
(dolist (c org-lint--checkers) (princ (format "checker\t%s\n" (org-lint-checker-name c))))
(dolist (f command-line-args-left)
  (with-temp-buffer
    (insert-file-contents f)
    (setq buffer-file-name (expand-file-name f))
    (let ((enable-local-variables nil)) (org-mode))
    (dolist (e (org-lint))
      (let ((v (cadr e)))
        (princ (format "found\t%s\t%s\t%s\n" f (substring-no-properties (aref v 0)) (org-lint-checker-name (aref v 3))))))
    (set-buffer-modified-p nil)))
(setq command-line-args-left nil)
`

// What org-lint finds unfit is found here, file by file and checker by checker, and
// nothing else is taken for it.
func TestAgreesWithOrgLint(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "runs Emacs")
	emacs, err := exec.LookPath("emacs")
	if err != nil {
		t.Skip("there is no emacs")
	}
	dir := t.TempDir()
	names := make([]string, 0, len(forEmacs))
	for name, text := range forEmacs {
		names = append(names, name)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(names)
	if err := os.WriteFile(filepath.Join(dir, "lint.el"), []byte(orgLint), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), emacs, append([]string{"--batch", "-Q", "-l", "lint.el"}, names...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%.2000s", err, problems.String())
	}
	found := map[string][]string{} // "line rule" by file
	known := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		switch {
		case len(fields) == 2 && fields[0] == "checker":
			known++
			if checkers[fields[1]] == nil && !slices.Contains(style, fields[1]) {
				t.Errorf("org-lint has a checker %s of which nothing is said here", fields[1])
			}
		case len(fields) == 4 && fields[0] == "found":
			if rules := checkers[fields[3]]; rules != nil {
				found[fields[1]] = append(found[fields[1]], fields[2]+" "+fields[3])
			}
		}
	}
	if known < 30 {
		t.Fatalf("org-lint told %d checkers:\n%.2000s", known, out)
	}
	some := map[string]bool{}
	for _, name := range names {
		ours := native(name)
		slices.Sort(ours)
		slices.Sort(found[name])
		if diff := cmp.Diff(found[name], ours); diff != "" {
			t.Errorf("%s (-org-lint +here):\n%s", name, diff)
		}
		for _, f := range ours {
			_, checker, _ := strings.Cut(f, " ")
			some[checker] = true
		}
	}
	for checker := range checkers {
		if !some[checker] {
			t.Errorf("no file shows %s", checker)
		}
	}
}

// native is what is found here, as "line checker".
func native(name string) []string {
	d := org.Codec{}.Parse(name, []byte(forEmacs[name]))
	p := &policy.Policy{}
	found := lint.Document(d, p)
	ids := map[string]bool{}
	for other, text := range forEmacs {
		for id := range lint.Declared(org.Codec{}.Parse(other, []byte(text))) {
			ids[string(id)] = true
		}
	}
	for i := range d.Nodes {
		for _, l := range d.Nodes[i].Links {
			if id, ok := lint.LinkedID(kb.Link{Kind: string(l.Kind), Name: l.Name}); ok && !ids[id] {
				found = append(found, lint.Dead(p, name, doc.LineAt(d.Text, l.Span.Start), id)...)
			}
		}
	}
	var out []string
	for _, f := range found {
		for checker, rules := range checkers {
			if slices.Contains(rules, f.Rule) {
				out = append(out, strconv.Itoa(f.Line)+" "+checker)
			}
		}
	}
	return out
}

// Every rule has its checker in org-lint, or is known to have none.
func TestRulesBeyondOrgLint(t *testing.T) {
	t.Parallel()
	var all []policy.LintRule
	for _, rules := range checkers {
		all = append(all, rules...)
	}
	for _, rule := range beyond {
		if slices.Contains(all, rule) {
			t.Errorf("%s is in both lists", rule)
		}
	}
	all = append(all, beyond...)
	for _, r := range policy.LintRules() {
		if !slices.Contains(all, r.Rule) {
			t.Errorf("nothing says whether org-lint has the rule %s", r.Rule)
		}
	}
}
