package render

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"net/url"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/org"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

const (
	// maxDepth is how deep embedded pages may be nested.
	maxDepth = 3
	// maxEmbeds and maxEmbedded are how many pages and bytes are embedded in one; the others
	// are links.
	maxEmbeds, maxEmbedded = 50, 512 << 10
	// maxEmbed is how many bytes of an embedded page, or of its section, are shown.
	maxEmbed = 16000
	// chunkBlocks is how many top-level blocks are in one section, which browsers lay out
	// when it comes into view.
	chunkBlocks = 40
)

// Target is where a link leads.
type Target struct {
	Ref   string // of the page, "" for none
	Title string
	State string // as in the index: resolved, unresolved, ambiguous, unwritten
}

// Page is a document with its connections.
type Page struct {
	Path string
	Text []byte
	// Resolve returns where a link of the page leads. Nil for a text without links.
	Resolve func(t doc.Target, line int) Target
	// FileAt is the address of a file that the page names.
	FileAt func(path string) string
}

// Source is a document to be shown.
type Source struct {
	Page
	Ref   string
	First int // number of the first line of Text, when that is a part of the document; 0 for 1
	Here  int // line that the reader asked for; its block gets the id "here"
	// Size is how many bytes of a large document are shown at once; 0 for all. The part is that
	// with the element of the id At, with the line From, or with the line Here.
	Size int
	At   string
	From int
	// Read is the part of a very large document that Text is. It is shown as it is written.
	Read  Part
	Ended map[int]bool
	// Chosen is called with the part that is shown before the first link is resolved, nil for
	// nobody.
	Chosen func(Part)

	// Embed returns the page that is embedded; ok is false where there is none. Nil for a
	// text without embeds.
	Embed func(ref string) (p Page, ok bool)
	// PageAt and TagAt are addresses of this server.
	PageAt func(ref string) string
	TagAt  func(tag string) string
	// PartAt is the address of an element of this page that may be in another part.
	PartAt func(id string) string
	// Wholes has the outlines of large documents that were shown before; nil for none.
	Wholes *Wholes
	// Colours is how many bytes of code are coloured that Wholes does not have, in addition to
	// the first block; 0 for all.
	Colours int
	// Pictures are the origins of other servers whose pictures the reader wants to see, and
	// PicturesAt is the address of the page with those of one more. Nil for links to pictures.
	Pictures   []string
	PicturesAt func(origin string) string
	// Credentials are shown, and not masked.
	Credentials bool

	ctx        context.Context // of this rendering
	endless    bool            // has no limit of time
	depth      int
	prefix     string
	within     []string
	embeds     *embeds
	ids        map[string]int // of headings, with how often each repeats
	newline    []int          // offsets of the ends of lines of Text
	uncoloured bool           // colouring code took too long
	found      *int           // number of credentials, with those of embedded pages
	colouring  *colouring
	wanted     int // offset in Text that the reader asked for
	shown      Part
	whole      *whole // of a document that is shown in parts
}

// embeds are the pages that are embedded in one, at any depth.
type embeds struct {
	shown, bytes int
	pages        map[string]Page // that were read; without a path where there is none
}

// read returns a page that is to be embedded. Each is read once, and whole: credentials that
// a section cuts are not found in it.
func (e *embeds) read(ref string, read func(ref string) (Page, bool), hide func([]byte) []byte) (Page, bool) {
	page, known := e.pages[ref]
	if !known {
		if page, _ = read(ref); page.Path != "" {
			page.Text = hide(page.Text)
		}
		e.pages[ref] = page
	}
	return page, page.Path != ""
}

// Heading is an entry of the outline.
type Heading struct {
	Level    int
	Text, ID string
	Line     int
}

// Property is a row of the property table.
type Property struct {
	Key  string
	HTML string
}

// Result is a document as HTML.
type Result struct {
	HTML       string
	Headings   []Heading
	Properties []Property
	Links      []int // offsets in the text of the links that are in the HTML
	Secrets    int   // number of credentials in it
	Plain      int   // blocks of code without colours, since there was too much of it
	Part       Part
}

// Document renders a page. One that takes too long is shown as it is written.
func Document(ctx context.Context, s Source) (out Result) {
	s.found, s.colouring = new(int), &colouring{left: s.Colours}
	s.embeds = &embeds{pages: map[string]Page{}}
	if !s.Read.IsWhole() {
		s.shown = s.Read
		s.choose()
		return Result{HTML: show(s.sanitize(plain(s.Text))), Part: s.Read}
	}
	w := s.read()
	s.Text, *s.found = w.text, w.secrets
	if !s.inTime(ctx, func() { out = s.document(w) }) {
		out = Result{HTML: show(s.sanitize(s.asWritten(s.Text)))}
	}
	out.Secrets, out.Part, out.Plain = *s.found, s.shown, s.colouring.plain
	return out
}

func (s *Source) document(w *whole) Result {
	d := w.parse(s)
	out := Result{Headings: w.headings}
	if s.want(d, out.Headings); !s.hasParts() {
		s.choose()
	}
	switch d.Format {
	case doc.Org:
		out.HTML = s.org(d, &out)
	case doc.Markdown:
		out.HTML = s.markdown(d, &out)
	default:
		out.HTML = s.asWritten(d.Text)
	}
	out.HTML = show(s.sanitize(out.HTML))
	if s.shown.Before > 0 { // they are shown above the first part
		return out
	}
	for _, p := range d.Nodes[0].Metadata {
		out.Properties = append(out.Properties, s.property(d, p, &out))
	}
	return out
}

// Passage renders a part of a text without its surroundings: links are plain text.
func Passage(ctx context.Context, p Page, words []string) string {
	s := Source{Page: p, depth: maxDepth, colouring: &colouring{}}
	s.Text, _ = s.hide(s.Text)
	var text string
	if !s.inTime(ctx, func() {
		d := parse("passage"+path.Ext(p.Path), s.Text)
		var out Result
		if d.Format == doc.Org {
			text = s.org(d, &out)
		} else {
			text = s.markdown(d, &out)
		}
	}) {
		text = plain(s.Text)
	}
	return mark(withoutIDs(show(s.sanitize(text))), words)
}

// hide returns a text with its credentials masked, unless they are to be shown, and their
// number.
func (s *Source) hide(text []byte) ([]byte, int) {
	found := secrets.Scan(text, secrets.Options{})
	if len(found) == 0 || s.Credentials {
		return text, len(found)
	}
	return secrets.Mask(text, found), len(found)
}

// hideEmbedded is hide of an embedded page.
func (s *Source) hideEmbedded(text []byte) []byte {
	text, n := s.hide(text)
	*s.found += n
	return text
}

func parse(name string, text []byte) *doc.Document {
	codecs := []doc.Codec{markdown.Codec{}, org.Codec{}}
	if c := doc.ForPath(codecs, name); c != nil {
		return c.Parse(name, text)
	}
	switch path.Ext(name) {
	case ".canvas", ".base":
		d := *codecs[0].Parse("x.md", nil)
		d.Format, d.Text = doc.Canvas, text
		return &d
	}
	return codecs[0].Parse("x.md", text)
}

// property renders one value of the metadata, with the links in it.
func (s *Source) property(d *doc.Document, p doc.Property, out *Result) Property {
	n := &d.Nodes[0]
	var b strings.Builder
	var targets []doc.Target
	for _, l := range n.Links {
		targets = append(targets, l.Target)
	}
	for _, r := range n.Relations {
		targets = append(targets, r.Target)
	}
	shown := strings.Join(p.Values, ", ")
	found := false
	for _, t := range targets {
		if !p.Span.Contains(t.Span) || s.Resolve == nil || t.Span.Len() == 0 {
			continue
		}
		if found {
			b.WriteString(", ")
		}
		b.WriteString(s.link(d, t, out))
		found = true
	}
	if !found {
		b.WriteString(html.EscapeString(shown))
	}
	return Property{p.Key, show(s.sanitize(b.String()))}
}

// newlines notes where the lines of a text end.
func (s *Source) newlines(text []byte) {
	s.newline = nil
	for i, c := range text {
		if c == '\n' {
			s.newline = append(s.newline, i)
		}
	}
}

// lineAt is the number of the line at an offset.
func (s *Source) lineAt(at int) int { return max(1, s.First) + sort.SearchInts(s.newline, at) }

// link is a link of the index as HTML.
func (s *Source) link(d *doc.Document, t doc.Target, out *Result) string {
	shown := linkText(t)
	if s.Resolve == nil {
		return html.EscapeString(shown)
	}
	out.Links = append(out.Links, t.Span.Start)
	if t.Name == "" && t.Heading != "" {
		return fmt.Sprintf(`<a href="%s">%s</a>`, html.EscapeString(s.headingAt(t.Heading)), html.EscapeString(shown))
	}
	to := s.Resolve(t, s.lineAt(t.Span.Start))
	if to.Ref == "" {
		if t.Kind == doc.Embed && isFile(t.Raw) {
			return s.file(t.Raw, shown)
		}
		why := "no page has this name"
		if to.State == "ambiguous" {
			why = "several pages have this name"
		}
		return fmt.Sprintf(`<span class="broken" title="%s">%s</span>`, why, html.EscapeString(shown))
	}
	at := s.PageAt(to.Ref)
	switch {
	case t.Block != "":
		at = s.elementAt(at, "b-"+slug(t.Block))
	case t.Heading != "":
		at = s.elementAt(at, "h-"+slug(t.Heading))
	}
	if to.Title != "" && t.Text == "" && (t.Kind == doc.OrgID || t.Kind == doc.BlockRef) {
		shown = to.Title
	}
	return fmt.Sprintf(`<a class="page" href="%s" title="%s">%s</a>`, html.EscapeString(at), html.EscapeString(to.Ref), html.EscapeString(shown))
}

// linkText is the text of a link that is no title.
func linkText(t doc.Target) string {
	switch {
	case t.Text != "":
		return t.Text
	case t.Heading == "":
		return t.Raw
	case t.Raw == "":
		return t.Heading
	}
	return t.Raw + " › " + t.Heading
}

// isFile reports whether an embed is of a file that is no page.
func isFile(name string) bool { return path.Ext(name) != "" && !doc.IsPage(name) }

// pictures are the files that a browser shows.
var pictures = map[string]bool{".png": true, ".jpg": true, ".jpeg": true, ".gif": true, ".webp": true, ".avif": true}

// file shows an attachment: a picture, or a link.
func (s *Source) file(name, shown string) string {
	if s.FileAt == nil {
		return html.EscapeString(shown)
	}
	at := html.EscapeString(s.FileAt(name))
	if pictures[strings.ToLower(path.Ext(name))] {
		return fmt.Sprintf(`<img src="%s" alt="%s" loading="lazy">`, at, html.EscapeString(shown))
	}
	return fmt.Sprintf(`<a class="file" href="%s">%s</a>`, at, html.EscapeString(shown))
}

// picture shows a picture by its address.
func (s *Source) picture(at, alt string) string {
	u, err := url.Parse(at)
	if err == nil && u.Scheme == "" && u.Host == "" && u.Path != "" {
		return s.file(relative(u.Path), alt)
	}
	if alt == "" {
		alt = "picture"
	}
	// Any other address may be one of this server, with a query.
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return html.EscapeString(alt)
	}
	origin, ok := OriginOf(u)
	if ok && slices.Contains(s.Pictures, origin) {
		return fmt.Sprintf(`<img src="%s" alt="%s" loading="lazy">`, html.EscapeString(u.String()), html.EscapeString(alt))
	}
	// Showing it would tell another server what is read here.
	open := `<a class="outside" href="` + html.EscapeString(at) + `">` + html.EscapeString(alt) + `</a>`
	if !ok || s.PicturesAt == nil {
		return `<span class="picture">Picture on another server: ` + open + `</span>`
	}
	return `<span class="picture">Picture on ` + html.EscapeString(u.Host) + ": " + open + ` <a href="` + html.EscapeString(s.PicturesAt(origin)) + `">Show</a></span>`
}

var origins = lazyregexp.New(`^https?://[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?(?::\d{1,5})?$`)

// OriginOf returns the origin of an address on another server, as a policy can name it.
func OriginOf(u *url.URL) (origin string, ok bool) {
	origin = strings.ToLower(u.Scheme + "://" + u.Host)
	return origin, origins().MatchString(origin)
}

// relative is a path from the directory of the page. A name alone, as notes embed files,
// is one from the top.
func relative(name string) string {
	if strings.HasPrefix(name, "/") || strings.HasPrefix(name, ".") {
		return name
	}
	return "./" + name
}

// headings are those of all nodes, in order.
func headings(d *doc.Document) (all []doc.Heading) {
	for i := range d.Nodes {
		all = append(all, d.Nodes[i].Headings...)
	}
	slices.SortStableFunc(all, func(a, b doc.Heading) int { return cmp.Compare(a.Section.Start, b.Section.Start) })
	return all
}

// newID is the id of the next heading's element: of equal ones the second ends in -2.
func (s *Source) newID(text string) string {
	first := s.headingID(text)
	id, n := first, max(1, s.ids[first])
	for s.ids[id] > 0 {
		n++
		id = fmt.Sprintf("%s-%d", first, n)
	}
	s.ids[id] = 1
	s.ids[first] = n
	return id
}

// headingID is the id of a heading's element.
func (s *Source) headingID(text string) string { return s.prefix + "h-" + slug(text) }

// headingAt is the address of a heading of this page. An embedded page has no ids.
func (s *Source) headingAt(text string) string {
	switch {
	case s.depth > 0:
		return s.elementAt(s.PageAt(s.Ref), "h-"+slug(text))
	case s.hasParts() && s.PartAt != nil:
		return s.PartAt(s.headingID(text))
	}
	return "#" + s.headingID(text)
}

// elementAt is the address of an element of a page. The server gets no fragment: where large
// pages are shown in parts, it chooses the part by the id.
func (s *Source) elementAt(page, id string) string {
	if s.Size == 0 {
		return page + "#" + id
	}
	return page + "?at=" + url.QueryEscape(id) + "#" + id
}

// slug is a text as a part of an id.
func slug(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r > 0x7f && r != 0x202e:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return cmp.Or(strings.Trim(b.String(), "-"), "unnamed") // an id that ends in a sign is not shown
}
