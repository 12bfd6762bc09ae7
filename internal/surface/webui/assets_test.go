package webui_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path"
	"regexp"
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

// The address of an asset changes with the text of all, also for scripts that others import:
// only then it may be kept.
func TestAssetsAreKeptByTheirSum(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, address := range []string{"/assets/cairn.css", "/assets/0123456789ab/cairn.css"} {
		if w := b.do("GET", address); w.Code != 200 || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %s", address, w.Code, w.Header().Get("Cache-Control"))
		}
	}
	b.signIn()
	page := b.do("GET", "/").Body.String()
	script := regexp.MustCompile(`src="(/assets/[0-9a-f]{12}/cairn\.js)"`).FindStringSubmatch(page)
	if script == nil {
		t.Fatalf("no script with a version: %s", page)
	}
	imported := regexp.MustCompile(`from '\./([a-z.]+)'`).FindAllStringSubmatch(b.do("GET", script[1]).Body.String(), -1)
	if len(imported) == 0 {
		t.Fatal("the script imports nothing")
	}
	for _, name := range append(imported, []string{"", "cairn.js"}) {
		address := path.Dir(script[1]) + "/" + name[1]
		if w := b.do("GET", address); w.Code != 200 || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d %s", address, w.Code, w.Header().Get("Cache-Control"))
		}
	}
}
