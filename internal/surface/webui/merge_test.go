package webui_test

import (
	"net/http"
	"strings"
	"testing"
)

// A merge is shown before it is done, happens to the version that was shown, and can be
// undone where it was made.
func TestMergePages(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("engine", "Engine", "# Engine\n\nMade of brass.\n")
	b.put("machine", "Machine", "# Machine\n\nMade by Babbage.\n")
	b.put("note", "Note", "See [[machine]].\n")
	b.signIn()
	preview := b.do("GET", "/merge?ref=memory:machine&into=memory:engine")
	if text := preview.Body.String(); preview.Code != http.StatusOK || !strings.Contains(text, "Made by Babbage.") || !strings.Contains(text, `action="/merge"`) {
		t.Errorf("the preview answers %d %s", preview.Code, text)
	}
	if b.text("machine") == "(gone)" {
		t.Fatal("the preview merges")
	}
	b.put("machine", "Machine", "# Machine\n\nMade by Babbage in London.\n")
	if w := b.post("/merge", "ref", "memory:machine", "into", "memory:engine", "version", "1"); w.Code != http.StatusConflict {
		t.Errorf("the merge of another version answers %d", w.Code)
	}
	w := b.post("/merge", "ref", "memory:machine", "into", "memory:engine", "version", "2")
	if to := w.Header().Get("Location"); w.Code != http.StatusSeeOther || !strings.HasPrefix(to, "/today?wrote=") {
		t.Fatalf("the merge answers %d, %s: %s", w.Code, to, w.Body)
	}
	if got := b.text("engine"); b.text("machine") != got || !strings.Contains(got, "Made by Babbage in London.") || !strings.Contains(b.text("note"), "[[Engine|machine]]") {
		t.Errorf("after the merge the pages are %q, %q", got, b.text("note"))
	}
	if page := b.do("GET", w.Header().Get("Location")).Body.String(); !strings.Contains(page, "Undo") {
		t.Error("the merge has no undo")
	}
}

// What is only in the memory is named, with the commands that take it along.
func TestLeaving(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "A", "Text.\n")
	b.signIn()
	page := b.do("GET", "/leaving").Body.String()
	for _, want := range []string{"only in the memory", "cairn uninstall --export", "cairn db path", "cairn uninstall --dry-run"} {
		if !strings.Contains(page, want) {
			t.Errorf("the screen lacks %q", want)
		}
	}
	b.Dir("notes", map[string]string{"n.md": "# N\n"})
	b.attach("notes")
	if page = b.do("GET", "/leaving").Body.String(); !strings.Contains(page, "stays as it is") {
		t.Error("a directory is not named as one that stays")
	}
}
