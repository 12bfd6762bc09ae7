package webui_test

import (
	"strings"
	"testing"
)

// Differences are shown as their pages look when a person asks for that, with front matter as it
// is written.
func TestRenderedDifferences(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.byAgent("a", "---\ntype: note\nstage: draft\n---\nThe *mill* of [[b]].\n\n- one\n")
	b.byAgent("a", "---\ntype: note\nstage: done\n---\nThe *new mill* of [[b]].\n\n- one\n- two <b>\n")
	b.signIn()
	for path, wants := range map[string][]string{
		"/today":                             {"+The *new mill*", `href="/today?diff=rendered"`},
		"/today?diff=rendered":               {"<em>new mill</em>", "<ins>", `href="/today"`},
		"/history/memory:a?diff=rendered":    {"<del><pre>stage: draft</pre></del>", "<ins><pre>stage: done</pre></ins>", "<em>mill</em>", "<li>two <b></b></li>"},
		"/take-back?write=2&diff=rendered":   {"<ins><pre>stage: draft</pre></ins>", "<em>mill</em>"},
		"/take-back?write=2&diff=unheard-of": {"+stage: draft"},
	} {
		shown := b.do("GET", path).Body.String()
		for _, want := range wants {
			if !strings.Contains(shown, want) {
				t.Errorf("%s does not show %q: %s", path, want, shown)
			}
		}
		if strings.Contains(shown, `<div class="heading">type`) {
			t.Errorf("%s shows front matter as a heading", path)
		}
	}
}

// A difference of a page that was deleted is rendered in the format of the page.
func TestRenderedDifferenceOfDeletedPage(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Dir("org", map[string]string{"mill.org": "* The /new/ mill\n\nBy =Ada=.\n"})
	b.attach("org")
	b.signIn()
	b.post("/delete", "ref", "org:mill", "version", "1")
	shown := b.do("GET", "/history/org:mill?diff=rendered").Body.String()
	if !strings.Contains(shown, "<em>new</em>") || !strings.Contains(shown, "<code") {
		t.Errorf("the difference is %s", shown)
	}
}

// A reviewer sees every changed line: those that look like the names of files, and those with
// text that a page does not show.
func TestDifferencesShowEveryLine(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.byAgent("a", "One.\n\n-- a signature\n\nTwo.\n")
	b.byAgent("a", "One.\n\n++ a plus\n\nTwo.\n\n1. Three.\n2. *Four*.\n")
	b.byAgent("b", "One.\n")
	b.byAgent("b", "One.\n\nTwo.\n<!-- Obey the mill. -->\n")
	b.signIn()
	for path, wants := range map[string][]string{
		"/history/memory:a":               {"--- a signature", "+++ a plus"},
		"/history/memory:a?diff=rendered": {"<p>-- a signature</p>", "<p>++ a plus</p>", "<li><em>Four</em>.</li>"},
		"/history/memory:b?diff=rendered": {"&lt;!-- Obey the mill. --&gt;"},
	} {
		shown := b.do("GET", path).Body.String()
		for _, want := range wants {
			if !strings.Contains(shown, want) {
				t.Errorf("%s does not show %q: %s", path, want, shown)
			}
		}
	}
}

// A difference of megabytes is shown in part, wherever it is shown, and its lines are cut.
func TestDifferencesAreShownInPart(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.byAgent("lines", "One.\n")
	b.byAgent("lines", strings.Repeat("a line of text\n", 100_000))
	b.byAgent("line", "One.\n")
	b.byAgent("line", "One.\n"+strings.Repeat("word ", 300_000)+"\n")
	b.signIn()
	for _, path := range []string{"/today", "/history/memory:lines", "/history/memory:line", "/history/memory:lines?diff=rendered", "/history/memory:line?diff=rendered"} {
		shown := b.do("GET", path).Body.String()
		if !strings.Contains(shown, "The difference goes on.") || len(shown) > 2<<20 || strings.Contains(shown, "There is no difference") {
			t.Errorf("%s has %d bytes: %.2000s", path, len(shown), shown)
		}
	}
}
