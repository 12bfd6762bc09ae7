package webui_test

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
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

// A screen is sent compressed to browsers that read that, and a page of 20 KB takes no more
// than 100 KB of the network with all that it loads.
func TestScreensAreCompressed(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "## Section %d\n\nSome words about [[p%d]] and *more* of them, `code` too, and number %d.\n\n", i, i%50, i*7919)
	}
	b.put("hub", "Hub", "# Hub\n\n"+text.String())
	b.signIn()
	for _, path := range []string{"/page/hub", "/?q=section", "/today", "/graph.json", "/page/none"} {
		packed, whole := b.do("GET", path, "Accept-Encoding", "gzip, br"), b.do("GET", path, "Accept-Encoding", "br")
		if packed.Header().Get("Content-Encoding") != "gzip" || whole.Header().Get("Content-Encoding") != "" || packed.Header().Get("Vary") != "Accept-Encoding" || packed.Code != whole.Code {
			t.Errorf("%s: %d and %d, the encodings are %q and %q", path, packed.Code, whole.Code, packed.Header().Get("Content-Encoding"), whole.Header().Get("Content-Encoding"))
		}
		r, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != whole.Body.String() {
			t.Errorf("%s has %d and %d bytes: %v", path, len(got), whole.Body.Len(), err)
		}
	}
	loads := regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`)
	page := b.do("GET", "/page/hub").Body.String()
	size := b.do("GET", "/page/hub", "Accept-Encoding", "gzip").Body.Len()
	found := loads.FindAllStringSubmatch(page, -1)
	if len(found) < 4 {
		t.Fatalf("the page loads %v", found)
	}
	for _, at := range found {
		size += b.do("GET", at[1], "Accept-Encoding", "gzip").Body.Len()
	}
	t.Logf("the page has %d bytes, and takes %d with what it loads", len(page), size)
	if size > 100_000 {
		t.Errorf("the page takes %d bytes of the network", size)
	}
}
