package webui_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// The files of others are as they were published.
func TestVendoredFiles(t *testing.T) {
	t.Parallel()
	for file, licence := range map[string]string{"idiomorph.min.js": "idiomorph.txt"} {
		text, err := os.ReadFile("assets/" + file)
		if err != nil {
			t.Fatal(err)
		}
		about, err := os.ReadFile("assets/" + licence)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(text)
		if !strings.Contains(string(about), hex.EncodeToString(sum[:])) || !strings.Contains(string(about), "Copyright") && !strings.Contains(string(about), "Zero-Clause") {
			t.Errorf("%s does not have the sum of %s, or no licence", licence, file)
		}
	}
}

// An address of an asset changes with its text: only then it may be kept.
func TestAssetsAreKeptByTheirSum(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	if w := b.do("GET", "/assets/cairn.css"); w.Code != 200 || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("without its sum: %d %s", w.Code, w.Header().Get("Cache-Control"))
	}
	b.signIn()
	page := b.do("GET", "/").Body.String()
	at := strings.Index(page, "/assets/cairn.css?")
	address := page[at : at+strings.IndexByte(page[at:], '"')]
	if w := b.do("GET", address); !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("%s: %s", address, w.Header().Get("Cache-Control"))
	}
}
