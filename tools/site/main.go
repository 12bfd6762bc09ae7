// Command site makes a static site of the documents of this repository, with the renderer and
// the style sheet of the web UI. The site needs no server and asks nothing of other hosts.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"html"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/surface/webui/render"
)

const (
	front  = "README.md"      // the first page of the site
	index  = "docs/README.md" // its links are the navigation
	assets = "internal/surface/webui/assets"
	source = "https://github.com/cairn-kb/cairn/blob/main/" // of files that are not on the site
)

func main() {
	root := flag.String("root", ".", "the `directory` of the repository")
	out := flag.String("out", "bin/site", "the `directory` to write")
	flag.Parse()
	n, err := build(context.Background(), *root, *out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	fmt.Printf("%d pages in %s\n", n, *out)
}

// site is the site while it is made. Names are paths within the repository.
type site struct {
	root   string
	queue  []string            // pages to be made
	pages  map[string]*page    // all of them
	files  map[string]bool     // pictures to be copied
	faults map[string][]string // by page
}

type page struct {
	title string
	body  string
	links []string // pages it links to, in order
}

// build writes the pages that can be reached from the front page and the index, and returns
// how many they are. A link that leads nowhere is an error.
func build(ctx context.Context, root, out string) (int, error) {
	s := &site{root: root, queue: []string{front, index}, pages: map[string]*page{}, files: map[string]bool{}, faults: map[string][]string{}}
	for _, name := range s.queue {
		s.pages[name] = &page{}
	}
	for len(s.queue) > 0 {
		name := s.queue[0]
		s.queue = s.queue[1:]
		if err := s.render(ctx, name); err != nil {
			return 0, err
		}
	}
	s.settleAnchors()
	if err := s.err(); err != nil {
		return 0, err
	}
	return len(s.pages), s.write(out)
}

// render makes the HTML of a page, and adds the pages and files that it links to.
func (s *site) render(ctx context.Context, name string) error {
	text, err := os.ReadFile(filepath.Join(s.root, name))
	if err != nil {
		return err
	}
	p := s.pages[name]
	dir := path.Dir(name)
	found := func(to string) bool {
		_, err := os.Stat(filepath.Join(s.root, to))
		if err != nil {
			s.fault(name, "no file "+to)
		}
		return err == nil
	}
	result := render.Document(ctx, render.Source{
		Page: render.Page{
			Path: name, Text: outward(text, dir),
			Resolve: func(t doc.Target, _ int) render.Target {
				to := path.Join(dir, t.Name)
				if t.Kind != doc.MarkLink || !found(to) {
					return render.Target{}
				}
				if s.pages[to] == nil {
					s.pages[to] = &page{}
					s.queue = append(s.queue, to)
				}
				p.links = append(p.links, to)
				return render.Target{Ref: to, State: "resolved"}
			},
			FileAt: func(file string) string {
				to := path.Join(dir, file)
				if found(to) {
					s.files[to] = true
				}
				return "/" + to
			},
		},
		Ref:    name,
		PageAt: func(ref string) string { return "/" + address(ref) },
	})
	if p.title = name; len(result.Headings) > 0 {
		p.title = result.Headings[0].Text
	}
	p.body = drawing.ReplaceAllString(wikilink.ReplaceAllString(result.HTML, "[[$1]]"), `<img src="$1" alt="$2">`)
	return nil
}

// address is where a page is on the site.
func address(name string) string {
	dir, file := path.Split(name)
	if file == "README.md" {
		return dir + "index.html"
	}
	return dir + strings.TrimSuffix(file, ".md") + ".html"
}

var (
	code   = regexp.MustCompile("(?ms)^ *```.*?^ *```|`[^`\n]*`")
	target = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	// The web UI shows no drawings, since they may hold scripts. These are ours.
	drawing = regexp.MustCompile(`<a class="file" href="([^"]+\.svg)"[^>]*>([^<]*)</a>`)
	// In the documents, a wikilink is an example.
	wikilink = regexp.MustCompile(`<span class="broken"[^>]*>([^<]*)</span>`)
)

// outward makes links to files that are not on the site lead to the repository.
func outward(text []byte, dir string) []byte {
	var b bytes.Buffer
	write := func(prose []byte) {
		b.Write(target.ReplaceAllFunc(prose, func(link []byte) []byte {
			u, err := url.Parse(string(target.FindSubmatch(link)[1]))
			if err != nil || u.Scheme != "" || u.Path == "" || slices.Contains([]string{".md", ".png", ".svg"}, path.Ext(u.Path)) {
				return link
			}
			return []byte("](" + source + path.Join(dir, u.Path) + ")")
		}))
	}
	end := 0
	for _, at := range code.FindAllIndex(text, -1) {
		write(text[end:at[0]])
		b.Write(text[at[0]:at[1]])
		end = at[1]
	}
	write(text[end:])
	return b.Bytes()
}

var (
	anchored = regexp.MustCompile(`href="(/[^"#]*)?#([^"]+)"`)
	ids      = regexp.MustCompile(` id="([^"]+)"`)
)

// settleAnchors makes links to headings lead to the ids of those headings. GitHub leaves
// punctuation out of a name, and the renderer puts a hyphen in its place.
func (s *site) settleAnchors() {
	of := map[string]map[string]string{} // address, letters, id
	for name, p := range s.pages {
		known := map[string]string{}
		for _, m := range ids.FindAllStringSubmatch(p.body, -1) {
			if key := letters(m[1]); known[key] == "" {
				known[key] = m[1]
			}
		}
		of["/"+address(name)] = known
	}
	for name, p := range s.pages {
		p.body = anchored.ReplaceAllStringFunc(p.body, func(link string) string {
			m := anchored.FindStringSubmatch(link)
			to := cmp.Or(m[1], "/"+address(name))
			id := of[to][letters(m[2])]
			if id == "" {
				s.fault(name, "no heading #"+m[2]+" in "+to)
			}
			return `href="` + m[1] + "#" + id + `"`
		})
	}
}

var punctuation = regexp.MustCompile(`[^\pL\pN]`)

func letters(id string) string { return punctuation.ReplaceAllString(html.UnescapeString(id), "") }

func (s *site) fault(page, what string) { s.faults[page] = append(s.faults[page], what) }

// err lists the links that lead nowhere.
func (s *site) err() error {
	var all []error
	for name, faults := range s.faults {
		for _, f := range faults {
			all = append(all, fmt.Errorf("%s: %s", name, f))
		}
	}
	slices.SortFunc(all, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errors.Join(all...)
}

// write writes all files. Links are relative, so that the site may be at any address.
func (s *site) write(out string) error {
	for _, file := range []string{"cairn.css", "cairn.svg"} {
		if err := s.copy(path.Join(assets, file), out, file); err != nil {
			return err
		}
	}
	for file := range s.files {
		if err := s.copy(file, out, file); err != nil {
			return err
		}
	}
	for name, p := range s.pages {
		to := filepath.Join(out, filepath.FromSlash(address(name)))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		up := strings.Repeat("../", strings.Count(name, "/"))
		if err := os.WriteFile(to, []byte(strings.ReplaceAll(s.whole(name, p), `="/`, `="`+up)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (s *site) copy(from, out, to string) error {
	text, err := os.ReadFile(filepath.Join(s.root, from))
	if err != nil {
		return err
	}
	to = filepath.Join(out, filepath.FromSlash(to))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

// whole is a page with its frame. Addresses begin at the top of the site.
func (s *site) whole(name string, p *page) string {
	var b strings.Builder
	link := func(to, title string) {
		here := ""
		if to == name {
			here = ` aria-current="page"`
		}
		fmt.Fprintf(&b, `<li><a href="/%s"%s>%s</a></li>`+"\n", address(to), here, html.EscapeString(title))
	}
	title := html.EscapeString(p.title)
	b.WriteString(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>` + title + ` · cairn</title>
<link rel="icon" href="/cairn.svg">
<link rel="stylesheet" href="/cairn.css">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="brand" href="/index.html"><img src="/cairn.svg" alt="" width="24" height="24">cairn</a>
<nav class="places" aria-label="Site"><ul>
`)
	link(index, "Documents")
	link("docs/which.md", "Which command?")
	link("docs/cli/cairn.md", "Commands")
	link("CHANGELOG.md", "Changelog")
	b.WriteString(`</ul></nav>
</header>
<main id="main" tabindex="-1">
<div class="reader">
<article class="doc">
` + p.body + `</article>
<nav class="aside outline" aria-label="Documents"><h2>Documents</h2>
<ul>
`)
	seen := map[string]bool{}
	for _, to := range s.pages[index].links {
		if path.Dir(to) == "docs" && !seen[to] {
			seen[to] = true
			link(to, s.pages[to].title)
		}
	}
	b.WriteString("</ul></nav>\n</div>\n</main>\n</body>\n</html>\n")
	return b.String()
}
