package main

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The site is whole: each link and file of a page is on the site or on another server, each
// anchor is on its page, and a browser loads nothing from elsewhere.
func TestSite(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	n, err := build(t.Context(), "../..", out)
	if err != nil {
		t.Fatal(err)
	}
	if n < 200 {
		t.Errorf("only %d pages", n)
	}
	address := regexp.MustCompile(`<(\w+)[^>]* (?:href|src)="([^"]*)"`)
	links, anchors := 0, 0
	err = filepath.WalkDir(out, func(name string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".html" {
			return err
		}
		for _, m := range address.FindAllStringSubmatch(readFile(t, name), -1) {
			u, err := url.Parse(m[2])
			if err != nil {
				return err
			}
			if u.Scheme != "" || u.Host != "" {
				if m[1] != "a" {
					t.Errorf("%s loads %s", name, m[2])
				}
				continue
			}
			links++
			to := name
			if u.Path != "" {
				to = filepath.Join(filepath.Dir(name), filepath.FromSlash(u.Path))
			}
			text := readFile(t, to)
			if u.Fragment != "" {
				anchors++
				if !strings.Contains(text, ` id="`+u.Fragment+`"`) {
					t.Errorf("%s links to %s, and that page has no such id", name, m[2])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if links < 5000 || anchors < 200 {
		t.Errorf("%d links, %d of them to headings", links, anchors)
	}
	if css := readFile(t, filepath.Join(out, "cairn.css")); strings.Contains(css, "url(") || strings.Contains(css, "@import") {
		t.Error("the style sheet loads files")
	}
}

// A link that leads nowhere is an error that names the page.
func TestBrokenLinks(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		front:         "# Front\n\n[gone](docs/gone.md), [no heading](docs/README.md#nothing), [picture](gone.png)\n",
		index:         "# Index\n\n[front](../README.md#front) and `[[Example]]`, [[Example]]\n",
		"docs/gone.x": "",
	} {
		writeFile(t, filepath.Join(root, name), text)
	}
	_, err := build(t.Context(), root, t.TempDir())
	if err == nil {
		t.Fatal("no error")
	}
	want := "README.md: no file docs/gone.md\nREADME.md: no file gone.png\nREADME.md: no heading #h-nothing in /docs/index.html"
	if err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
