package webui_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"regexp"
	"strings"
	"testing"
)

// The frame of a diagram has no origin, loads one script and nothing else, and is shown by
// pages of this server only. No other page is shown in a frame.
func TestDiagramFrame(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	w := b.do("GET", "/diagram")
	nonce := regexp.MustCompile(`<script nonce="([A-Z2-7]{26})" src="/assets/[0-9a-f]{12}/diagram\.js"></script>`).FindStringSubmatch(w.Body.String())
	if w.Code != 200 || nonce == nil {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	want := "sandbox allow-scripts; default-src 'none'; script-src 'nonce-" + nonce[1] + "'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
	if got := w.Header().Get("Content-Security-Policy"); got != want || w.Header().Get("X-Frame-Options") != "SAMEORIGIN" {
		t.Errorf("the policy is %s", got)
	}
	if again := b.do("GET", "/diagram").Body.String(); strings.Contains(again, nonce[1]) {
		t.Error("the nonce is the same again")
	}
	for name, from := range map[string]string{"diagram.js": "cross-origin", "math.js": "same-origin", "cairn.js": "same-origin"} {
		if got := b.do("GET", "/assets/"+name).Header().Get("Cross-Origin-Resource-Policy"); got != from {
			t.Errorf("%s is for %s", name, got)
		}
	}
}

// Only a screen with an editor lets a script put styles, with a nonce that is new each time.
func TestEditorNonce(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "A", "# A\n")
	b.signIn()
	seen := map[string]bool{}
	for range 2 {
		w := b.do("GET", "/edit/a")
		nonce := regexp.MustCompile(`data-nonce="([A-Z2-7]{26})"`).FindStringSubmatch(w.Body.String())
		if nonce == nil || !strings.Contains(w.Header().Get("Content-Security-Policy"), "style-src 'self' 'nonce-"+nonce[1]+"';") || seen[nonce[1]] {
			t.Fatalf("%q of %s", nonce, w.Header().Get("Content-Security-Policy"))
		}
		seen[nonce[1]] = true
	}
	if w := b.do("GET", "/page/a"); strings.Contains(w.Header().Get("Content-Security-Policy"), "nonce") {
		t.Errorf("a page to read has %s", w.Header().Get("Content-Security-Policy"))
	}
}

// An asset is sent compressed to browsers that read that, and as it is to others.
func TestAssetsAreCompressed(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, name := range []string{"cairn.js", "cairn.css", "math.js", "math.css", "diagram.js", "editor.js", "licences.txt"} {
		packed, whole := b.do("GET", "/assets/"+name, "Accept-Encoding", "br, gzip;q=0.8"), b.do("GET", "/assets/"+name, "Accept-Encoding", "br, gzip;q=0")
		if packed.Header().Get("Content-Encoding") != "gzip" || whole.Header().Get("Content-Encoding") != "" || packed.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: the encodings are %q and %q", name, packed.Header().Get("Content-Encoding"), whole.Header().Get("Content-Encoding"))
		}
		r, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(text, whole.Body.Bytes()) || len(text) < 1000 {
			t.Errorf("%s has %d and %d bytes: %v", name, len(text), whole.Body.Len(), err)
		}
	}
	if text := b.do("GET", "/assets/licences.txt").Body.String(); !strings.Contains(text, "mermaid 11.") || !strings.Contains(text, "temml ") {
		t.Errorf("the licences are %.300s", text)
	}
}
