package webui_test

import (
	"net/http"
	"strings"
	"testing"
)

// A form that is not taken, since the session has ended or it is too large, comes back with
// the text that was typed.
func TestTextComesBack(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "A", "Text.\n")
	b.signIn()
	large := strings.Repeat("words & <b>words</b>\n", 1<<19)
	w := b.post("/save", "ref", "memory:a", "version", "1", "text", large+"the end")
	if text := w.Body.String(); w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(text, "the end</textarea>") || strings.Contains(text, "<b>") {
		t.Errorf("a text of %d bytes is answered with %d and %d bytes", len(large), w.Code, w.Body.Len())
	}
	if got := b.text("a"); strings.Contains(got, "words") {
		t.Error("it was saved")
	}
	b.cookie = "ended"
	w = b.post("/save", "ref", "memory:a", "version", "1", "text", "typed <i>late")
	if text := w.Body.String(); w.Code != http.StatusUnauthorized || !strings.Contains(text, "typed &lt;i&gt;late</textarea>") || strings.Contains(text, "memory:a") {
		t.Errorf("without a session it is answered with %d %s", w.Code, text)
	}
	if w = b.post("/seen", "through", "1"); w.Code != http.StatusUnauthorized || strings.Contains(w.Body.String(), "textarea") {
		t.Errorf("a button without a session is answered with %d %s", w.Code, w.Body)
	}
	w = b.do("POST", "/save", "Sec-Fetch-Site", "cross-site")
	if w.Code != http.StatusForbidden {
		t.Errorf("another site is answered with %d", w.Code)
	}
}
