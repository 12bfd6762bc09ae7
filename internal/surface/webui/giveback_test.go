package webui_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/surface/login"
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
	signedIn := b.now
	b.now = b.now.Add(login.SessionTime)
	w = b.post("/save", "ref", "memory:a", "version", "1", "text", "typed <i>late")
	if text := w.Body.String(); w.Code != http.StatusUnauthorized || !strings.Contains(text, "typed &lt;i&gt;late</textarea>") || strings.Contains(text, "memory:a") {
		t.Errorf("without a session it is answered with %d %s", w.Code, text)
	}
	if w = b.post("/seen", "through", "1"); w.Code != http.StatusUnauthorized || strings.Contains(w.Body.String(), "textarea") {
		t.Errorf("a button without a session is answered with %d %s", w.Code, w.Body)
	}
	b.now = signedIn
	w = b.do("POST", "/save", "Sec-Fetch-Site", "cross-site")
	if w.Code != http.StatusForbidden {
		t.Errorf("another site is answered with %d", w.Code)
	}
}

// What is read of a stranger is bounded: nothing. With a session that has expired a form is
// read where those of people are, within their limits; one that was ended, or is signed by
// another, lets nothing be read.
func TestFormsOfStrangersAreNotRead(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.signIn()
	session := b.cookie
	ended := login.New(secret, login.Session, ada, b.now)
	b.cookie = ended
	if w := b.do("POST", "/logout", "Sec-Fetch-Site", "same-origin"); w.Code != http.StatusOK {
		t.Fatalf("signing out: %d", w.Code)
	}
	read := b.now.Add(login.SessionTime)
	for _, tt := range []struct {
		name, path, cookie string
		now                time.Time
		within             int
		method             string
	}{
		{"no cookie", "/save", "", read, 0, "POST"},
		{"a cookie of nobody", "/save", "ended", read, 0, "POST"},
		{"signed by another", "/save", login.New("another", login.Session, ada, b.now), read, 0, "POST"},
		{"a link", "/save", login.New(secret, login.Link, ada, b.now), read, 0, "POST"},
		{"signed out", "/save", ended, b.now, 0, "POST"},
		{"signed out in another browser, later", "/save", ended, read, 0, "POST"},
		{"from a clock ahead", "/save", login.New(secret, login.Session, ada, read), b.now.Add(-time.Hour), 0, "POST"},
		{"expired", "/save", session, read, 1, "POST"},
		{"expired, a path without a form", "/none", session, read, 1, "POST"},
		{"expired, another method", "/save", session, read, 0, "PUT"},
		{"expired, in the past", "/at/2026-11-03/save", session, read, 1, "POST"},
	} {
		b.within, b.now = 0, tt.now
		body := strings.NewReader("text=" + strings.Repeat("<", 1000))
		size := body.Len()
		r := httptest.NewRequestWithContext(t.Context(), tt.method, "http://"+b.host+tt.path, body)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		if tt.cookie != "" {
			r.AddCookie(&http.Cookie{Name: "cairn_session", Value: tt.cookie})
		}
		w := httptest.NewRecorder()
		b.answer.ServeHTTP(w, r)
		given := strings.Contains(w.Body.String(), "&lt;&lt;")
		if w.Code != http.StatusUnauthorized || b.within != tt.within || (body.Len() < size) != (tt.within > 0) || given != (tt.within > 0) {
			t.Errorf("%s: %d, %d times within, %d of %d bytes are unread, given back %t", tt.name, w.Code, b.within, body.Len(), size, given)
		}
	}
}
