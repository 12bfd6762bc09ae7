package render

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// heavyPages are small pages that cost a naive renderer time which grows with their square.
var heavyPages = []struct{ name, text string }{
	{"math.md", strings.Repeat("$a ", 20000)},
	{"math-blocks.md", strings.Repeat("$$a ", 20000)},
	{"math-lines.md", strings.Repeat("$$a\n", 20000)},
	{"math-opens.md", strings.Repeat("$$\na\n\n", 20000)},
	{"math-quotes.md", strings.Repeat("> $$a\n\n", 20000) + "$$\n"},
	{"math-items.md", strings.Repeat("- $$a\n\n", 20000) + "$$\n"},
	{"math-in-items.md", strings.Repeat("- a\n\n  $$b\n\n", 10000) + "$$\n"},
	{"math.org", strings.Repeat("5$ $$ 6$x ", 20000)},
	{"math-unclosed.md", strings.Repeat("$$ a\nb\n\n", 20000)},
	{"latex-fragments.org", strings.Repeat("\\(a ", 20000)},
	{"quotes.org", strings.Repeat("#+BEGIN_QUOTE\n", 8000)},
	{"comments.md", "```go\n" + strings.Repeat("/* ", 20000) + "\n```\n"},
	{"comments.org", "#+begin_src go\n" + strings.Repeat("/* ", 20000) + "\n#+end_src\n"},
	{"emphasis.md", "a**b" + strings.Repeat("c* ", 60000)},
	{"brackets.md", strings.Repeat("[a](", 60000)},
	{"open-brackets.md", strings.Repeat("[", 60000)},
	{"pictures.md", strings.Repeat("![[a](", 40000)},
	{"nested.md", strings.Repeat("> ", 20000) + "a\n"},
	{"nested-lists.md", strings.Repeat("- ", 20000) + "a\n"},
	{"deep-lists.md", deepList(500)},
	{"backticks.md", backticks(600)},
	{"html.md", strings.Repeat("<a ", 60000)},
	{"divs.md", strings.Repeat("<div>", 40000)},
	{"paragraphs.md", strings.Repeat("A paragraph that has a [link](https://example.org/a) and a [[Page]] in it, and some words.\n\n", 10000)},
	{"links.md", strings.Repeat("[[Page]] [page](Page.md) ", 5000)},
	{"links.org", strings.Repeat("[[file:Page.org][page]] ", 5000)},
	{"brackets.org", strings.Repeat("[[a", 40000)},
	{"emphasis.org", strings.Repeat("*a /b ", 40000)},
	{"drawers.org", strings.Repeat(":a:\n", 8000)},
	{"lists.org", deepList(500)},
	{"headings.org", strings.Repeat("* a\n", 10000)},
	{"footnotes.org", strings.Repeat("[fn:a", 30000)},
	{"table.md", "|" + strings.Repeat("a|", 5000) + "\n|" + strings.Repeat("-|", 5000) + "\n" + strings.Repeat("|\n", 5000)},
	{"headings.md", strings.Repeat("# a\n", 10000)},
	{"footnotes.md", strings.Repeat("[^a]: x\n", 10000) + strings.Repeat("[^a]", 10000)},
	{"references.md", strings.Repeat("[a]: /x\n", 10000) + strings.Repeat("[a]", 10000)},
	{"facts.md", strings.Repeat("- knows [[Ada]]\n- [fact] b\n", 10000)},
	{"definitions.md", strings.Repeat("a\n: b\n\n", 10000)},
	{"marks.md", strings.Repeat("==a ", 40000)},
	{"deletions.md", strings.Repeat("~~a ~b ", 30000)},
	{"properties.org", strings.Repeat(":PROPERTIES:\n", 8000)},
	{"latex.org", strings.Repeat("\\begin{a}\n", 8000)},
	{"code.org", strings.Repeat("#+begin_src go\n", 8000)},
	{"crossed.org", strings.Repeat("#+begin_a\n#+begin_b\n#+end_a\n", 3000)},
	{"results.org", strings.Repeat("#+RESULTS:\n", 8000)},
	{"long-code.org", "#+begin_src go\n" + strings.Repeat("func a() {}\n", 25000) + "#+end_src\n"},
	{"addresses.md", strings.Repeat("www.a", 40000) + strings.Repeat(" http://a", 10000) + strings.Repeat("a@", 40000)},
	{"slug.md", "# " + strings.Repeat("a ", 60000) + "\n"},
}

func deepList(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s- a\n", strings.Repeat("  ", i))
	}
	return b.String()
}

func backticks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("`", i+1) + "a")
	}
	return b.String()
}

// No page keeps a processor for long: what would is shown as it is written, or ends with
// the time that a page has.
func TestHeavyPages(t *testing.T) {
	slowtest.NoRace(t, "a page has a limit of time, and it takes many times as long")
	t.Parallel()
	for _, tt := range heavyPages {
		began := time.Now()
		s := source(tt.name, tt.text)
		s.endless = false
		got := Document(t.Context(), s)
		took := time.Since(began)
		t.Logf("%-20s %7d B %v", tt.name, len(tt.text), took.Round(time.Millisecond))
		if got.HTML == "" {
			t.Errorf("%s is empty", tt.name)
		}
		for _, fault := range check(got.HTML) {
			t.Errorf("%s: %s", tt.name, fault)
			break
		}
	}
}

// What people write is within the limits.
func TestUsualPagesAreRendered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"quotes.md", strings.Repeat("> ", 20) + "deep\n", strings.Repeat("<blockquote data", 1)},
		{"rule.md", strings.Repeat("- ", 200) + "\n", "<hr"},
		{"stars.md", strings.Repeat("*a* ", 300), "<em>a</em>"},
		{"quote.org", "#+begin_quote\n#+begin_center\nx\n#+end_center\n#+end_quote\n", "<blockquote>"},
		{"source.org", "#+begin_src org\n#+begin_quote\n#+end_src\n*b*\n", "<strong>b</strong>"},
		{"wide.md", "a | b\n" + strings.Repeat("-", 100) + " | ---\n1 | 2\n", "<td>2</td>"},
		{"table.md", "| a | b |\n|---|---|\n" + strings.Repeat("| 1 | 2 |\n", 500), "<td>2</td>"},
		{"code.md", "```go\n" + strings.Repeat("func a() {}\n", 500) + "```\n", `<span class="kd">func</span>`},
	} {
		if got := Document(t.Context(), source(tt.name, tt.text)).HTML; !strings.Contains(got, tt.want) {
			t.Errorf("%s has no %s:\n%.300s", tt.name, tt.want, got)
		}
	}
}

// Nobody waits for a page whose reader left.
func TestReaderLeaves(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := source("page.md", strings.Repeat("*a* [[Ada]]\n\n", 200))
	resolve, asked := s.Resolve, 0
	s.Resolve = func(to doc.Target, line int) Target {
		asked++
		cancel()
		return resolve(to, line)
	}
	if got := Document(ctx, s).HTML; !strings.Contains(got, "*a* [[Ada]]") || asked != 1 {
		t.Errorf("after the reader left %d links were resolved:\n%.300s", asked, got)
	}
}
