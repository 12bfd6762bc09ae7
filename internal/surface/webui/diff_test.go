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

// A version that is brought back by its button can be undone there.
func TestRestoreOffersUndo(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.byAgent("a", "# A\n\nOne.\n")
	b.byAgent("a", "# A\n\nTwo.\n")
	b.signIn()
	to := b.post("/restore", "ref", "memory:a", "version", "1").Header().Get("Location")
	if shown := b.do("GET", to).Body.String(); !strings.Contains(shown, `action="/undo"`) || !strings.Contains(b.text("a"), "One.") {
		t.Errorf("%s shows %s", to, shown)
	}
}

// The passage of a hit is rendered in the format of its page.
func TestPassageOfOrg(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Dir("notes", map[string]string{"mill.org": "#+title: Mill\n* TODO Turn slower\nThe /brass/ wheel.\n", "note.md": "# Note\n\nThe *steel* wheel.\n"})
	b.attach("notes")
	b.signIn()
	shown := b.do("GET", "/?q=wheel&mode=fts").Body.String()
	for _, want := range []string{"<em>brass</em>", "<em>steel</em>", `<div class="heading"><span class="todo">TODO</span> Turn slower</div>`} {
		if !strings.Contains(shown, want) {
			t.Errorf("the hits do not show %q: %s", want, shown)
		}
	}
}
