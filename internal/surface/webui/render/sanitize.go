package render

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/cairn-kb/cairn/internal/kb/safetext"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// elements are those that a page may have.
var elements = strings.Fields("p br hr h1 h2 h3 h4 h5 h6 em strong del ins s u b i small sub sup kbd samp var mark abbr " +
	"code pre blockquote ul ol li dl dt dd table thead tbody tfoot tr th td caption figure figcaption " +
	"details summary div span section aside a img q cite time")

// unread are elements whose content is no text of the page. Browsers and the tokenizer read
// the content of most of them as something else than HTML.
var unread = strings.Fields("script style iframe noembed noframes noscript object plaintext template textarea title xmp")

// classes are those that an element may have, besides those of coloured code, which have up
// to three characters. The style sheet gives others a meaning, which a document must not use
// for itself.
var classes = strings.Fields("page broken outside file tag task done box due observation category relation type interval ended " +
	"callout callout-title note info tip hint abstract summary tldr todo success check question help faq warning caution attention failure fail missing danger error bug example quote cite important " +
	"embed embed-of picture math display mermaid drawer footnotes footnote-ref footnote-backref footnote-definition chroma chunk secret verbatim timestamp priority tags statistic")

// Patterns of values.
var (
	ids    = lazyregexp.New(`^(?:L\d+|here|(?:e\d+-)*(?:h|b)-[^\s"'<>&]+|fn-fn(?:ref)?\d*:[^\s"'<>&]+|footnote-(?:reference-)?\d+)$`)
	roles  = lazyregexp.New(`^(?:doc-noteref|doc-backlink|doc-endnotes|[a-z ]{1,20})$`)
	langs  = lazyregexp.New(`^[A-Za-z-]{2,12}$`)
	times  = lazyregexp.New(`^[0-9T:Z+-]+$`)
	number = lazyregexp.New(`^\d+$`)
	colour = lazyregexp.New(`^[a-z][a-z0-9]{0,2}$`)
)

// allows reports whether an element may have an attribute. Ids, classes and the like are the
// renderer's: HTML that a document brings has none.
func allows(element, key, value string, ours bool) bool {
	switch key {
	case "title":
		return true
	case "dir":
		return value == "ltr" || value == "rtl" || value == "auto"
	case "lang":
		return langs().MatchString(value)
	case "colspan", "rowspan":
		return (element == "td" || element == "th") && number().MatchString(value)
	case "align":
		return (element == "td" || element == "th") && slices.Contains([]string{"left", "center", "right"}, value)
	case "start":
		return element == "ol" && number().MatchString(value)
	case "open":
		return element == "details" && value == ""
	case "datetime":
		return element == "time" && times().MatchString(value)
	}
	if !ours {
		return false
	}
	switch key {
	case "class":
		return !slices.ContainsFunc(strings.Fields(value), func(name string) bool {
			return !slices.Contains(classes, name) && !colour().MatchString(name)
		})
	case "id":
		return ids().MatchString(value)
	case "data-line":
		return number().MatchString(value)
	case "role", "aria-label":
		return slices.Contains([]string{"span", "a", "div", "pre"}, element) && roles().MatchString(value)
	case "tabindex":
		return slices.Contains([]string{"pre", "div", "table"}, element) && value == "0"
	case "alt":
		return element == "img"
	case "loading":
		return element == "img" && value == "lazy"
	case "width", "height":
		return element == "img" && number().MatchString(value)
	}
	return false
}

// address is that of a link as it is written, and whether it is one of another server. Of a
// document's own HTML only such ones lead anywhere.
func address(value string, ours bool) (at string, outside, ok bool) {
	u, err := url.Parse(strings.TrimSpace(value))
	if err != nil {
		return "", false, false
	}
	switch u.Scheme {
	case "http", "https":
		return u.String(), true, u.Host != ""
	case "mailto":
		return u.String(), false, true
	case "":
		at = u.String()
		return at, strings.HasPrefix(at, "//"), ours
	}
	return "", false, false
}

// sanitize leaves only what a page may have, in the form in which browsers keep it: they end
// some elements where others begin, so that an end which has its beginning in the text may
// still be that of an element around it. Code in the form in which it is shown is not read again.
func (s *Source) sanitize(text string) string {
	rest, blocks := withoutCode(text)
	out := s.clean(rest, blocks)
	if len(blocks) > 0 { // elements that begin before a block and do not end go on within it
		out = s.clean(text, nil)
	}
	return out
}

// clean is sanitize of a text without its blocks of code. It deletes those that it puts back.
func (s *Source) clean(text string, blocks map[string]string) string {
	// balance first: it bounds how deep elements are nested.
	nodes, err := nethtml.ParseFragment(strings.NewReader(balance(filter(text, nil, s.Pictures))), &nethtml.Node{Type: nethtml.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil { // which a text in memory has only by its depth
		return plain([]byte(text))
	}
	var b strings.Builder
	size := len(text)
	for _, code := range blocks {
		size += len(code)
	}
	b.Grow(size)
	for _, n := range nodes {
		write(&b, n, blocks)
	}
	return b.String()
}

// withoutCode takes the blocks of code out of a text, by number: each has its number in the place
// of its content.
func withoutCode(text string) (rest string, blocks map[string]string) {
	blocks = map[string]string{}
	var b strings.Builder
	for {
		start := strings.Index(text, codeStart)
		if start < 0 {
			b.WriteString(text)
			return b.String(), blocks
		}
		start += len(codeStart)
		n := codeLength(text[start:])
		b.WriteString(text[:start])
		if text = text[start:]; n >= 0 {
			number := strconv.Itoa(len(blocks))
			b.WriteString(number)
			blocks[number], text = newlines.Replace(text[:n]), text[n:]
		}
	}
}

// newlines ends lines as browsers do when they read HTML.
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// codeLength is the length of code up to its end, if it is text and coloured pieces of text, each
// with a class: else -1.
func codeLength(of string) int {
	const piece, end = `<span class="`, "</span>"
	for at := 0; ; {
		next := strings.IndexAny(of[at:], "<>")
		if next < 0 || of[at+next] != '<' {
			return -1
		}
		at += next
		if strings.HasPrefix(of[at:], codeEnd) {
			return at
		}
		class, rest, ok := strings.Cut(strings.TrimPrefix(of[at:], piece), `">`)
		if !ok || !strings.HasPrefix(of[at:], piece) || !colour().MatchString(class) {
			return -1
		}
		next = strings.IndexAny(rest, "<>")
		if next < 0 || !strings.HasPrefix(rest[next:], end) {
			return -1
		}
		at = len(of) - len(rest) + next + len(end)
	}
}

// write is the HTML of a node, with the blocks of code that were taken out of it. The void elements
// have no slash, as the renderers write them.
func write(b *strings.Builder, n *nethtml.Node, blocks map[string]string) {
	if n.Type == nethtml.TextNode {
		b.WriteString(nethtml.EscapeString(n.Data))
		return
	}
	if n.Type != nethtml.ElementNode {
		return
	}
	b.WriteString("<" + n.Data)
	for _, a := range n.Attr {
		b.WriteString(" " + a.Key + `="` + nethtml.EscapeString(a.Val) + `"`)
	}
	b.WriteByte('>')
	if slices.Contains(withoutEnd, n.Data) {
		return
	}
	if first := n.FirstChild; n.Data == "pre" && first != nil && strings.HasPrefix(first.Data, "\n") {
		b.WriteByte('\n') // browsers leave out the first
	}
	if code, ok := blockOf(n, blocks); ok {
		b.WriteString(code)
	} else {
		for c := range n.ChildNodes() {
			write(b, c, blocks)
		}
	}
	b.WriteString("</" + n.Data + ">")
}

// blockOf takes the block of code of which an element has the number.
func blockOf(n *nethtml.Node, blocks map[string]string) (code string, ok bool) {
	number, pre := n.FirstChild, n.Parent
	if n.Data != "code" || pre == nil || len(pre.Attr) == 0 || pre.Attr[0] != codeClass || number == nil || number.Type != nethtml.TextNode || number.NextSibling != nil {
		return "", false
	}
	if code, ok = blocks[number.Data]; ok {
		delete(blocks, number.Data)
	}
	return code, ok
}

// codeClass is the class of code, which no HTML of a document may have.
var codeClass = nethtml.Attribute{Key: "class", Val: "chroma"}

// raw is HTML of a document that may be among ours: links in it lead to other servers, and
// pictures are shown as those of Markdown.
func (s *Source) raw(text string) string { return filter(text, s.picture, nil) }

// filter leaves only the elements and attributes that are allowed, and writes text and values
// anew: what it returns has no other meaning for a browser than it had for the tokenizer.
// Picture writes a picture of HTML that a document brings; nil where the HTML is ours, which
// may have pictures of other servers with some origins.
func filter(text string, picture func(at, alt string) string, origins []string) string {
	ours := picture == nil
	var b strings.Builder
	b.Grow(len(text) + len(text)/8)
	left := ""               // the element whose content is left out
	ends := map[string]int{} // of elements that were left out
	z := nethtml.NewTokenizer(strings.NewReader(text))
	for {
		switch kind := z.Next(); kind {
		case nethtml.ErrorToken:
			return b.String()
		case nethtml.TextToken:
			if left == "" {
				b.WriteString(nethtml.EscapeString(string(z.Text())))
			}
		case nethtml.EndTagToken:
			name := z.Token().Data
			switch {
			case left != "":
				if name == left {
					left = ""
				}
			case ends[name] > 0:
				ends[name]--
			case slices.Contains(elements, name):
				b.WriteString("</" + name + ">")
			}
		case nethtml.StartTagToken, nethtml.SelfClosingTagToken:
			t := z.Token()
			switch {
			case left != "":
			case slices.Contains(unread, t.Data):
				left = t.Data // also in <title/>, which browsers take for a beginning
			case t.Data == "img" && !ours:
				var at, alt string
				for _, a := range t.Attr {
					switch a.Key {
					case "src":
						at = a.Val
					case "alt":
						alt = a.Val
					}
				}
				b.WriteString(picture(at, alt))
			case slices.Contains(elements, t.Data):
				if tag := startTag(t, ours, origins); tag != "" {
					b.WriteString(tag)
				} else {
					ends[t.Data]++
				}
			}
		}
	}
}

// startTag is the start of an element with the attributes that are allowed; empty for a link
// that leads nowhere and a picture without an address.
func startTag(t nethtml.Token, ours bool, origins []string) string {
	var b strings.Builder
	write := func(key, value string) {
		b.WriteString(" " + key + `="` + nethtml.EscapeString(value) + `"`)
	}
	rel, leads := "", t.Data != "a" && t.Data != "img"
	b.WriteString("<" + t.Data)
	for _, a := range t.Attr {
		switch {
		case a.Key == "href" && t.Data == "a":
			at, outside, ok := address(a.Val, ours)
			if !ok || leads {
				continue
			}
			leads, rel = true, "nofollow"
			if outside {
				rel = "nofollow noreferrer"
			}
			if !ours {
				write("class", "outside")
			}
			write("href", at)
		case a.Key == "src" && t.Data == "img":
			at, outside, ok := address(a.Val, ours)
			if ok && !leads && (!outside && strings.HasPrefix(at, "/") || outside && hasOrigin(at, origins)) {
				leads = true
				write("src", at)
			}
		case allows(t.Data, a.Key, a.Val, ours):
			write(a.Key, a.Val)
		}
	}
	if !leads {
		return ""
	}
	if rel != "" {
		write("rel", rel)
	}
	b.WriteByte('>')
	return b.String()
}

// hasOrigin reports whether an address has one of some origins.
func hasOrigin(at string, origins []string) bool {
	u, err := url.Parse(at)
	if err != nil {
		return false
	}
	origin, ok := OriginOf(u)
	return ok && slices.Contains(origins, origin)
}

// maxOpen is how many elements may be within each other; browsers stop at about as many.
const maxOpen = 256

// balance ends what is not ended, and leaves out ends of nothing: they would end the elements
// around the text.
func balance(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	var stack []string
	open := map[string]int{}
	end := func() {
		name := stack[len(stack)-1]
		if len(stack) <= maxOpen {
			b.WriteString("</" + name + ">")
		}
		stack = stack[:len(stack)-1]
		open[name]--
	}
	z := nethtml.NewTokenizer(strings.NewReader(text))
	for {
		kind := z.Next()
		raw := z.Raw()
		switch kind {
		case nethtml.ErrorToken:
			for len(stack) > 0 {
				end()
			}
			return b.String()
		case nethtml.StartTagToken, nethtml.SelfClosingTagToken:
			name, _ := z.TagName()
			if slices.Contains(withoutEnd, string(name)) {
				b.Write(raw)
				continue
			}
			stack = append(stack, string(name))
			open[string(name)]++
			if len(stack) <= maxOpen {
				b.Write(raw)
			}
			if kind == nethtml.SelfClosingTagToken { // which browsers take for a beginning
				end()
			}
		case nethtml.EndTagToken:
			name, _ := z.TagName()
			for of := string(name); open[of] > 0; {
				last := stack[len(stack)-1]
				end()
				if last == of {
					break
				}
			}
		default:
			b.Write(raw)
		}
	}
}

// withoutEnd are elements that have no content.
var withoutEnd = []string{"br", "hr", "img"}

// show makes every character visible that a reader would not see.
func show(text string) string {
	if !strings.ContainsFunc(text, hidden) {
		return text
	}
	var b strings.Builder
	inTag := false
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '<':
			inTag = true
		case r == '>':
			inTag = false
		}
		switch {
		case r == utf8.RuneError && n == 1, hidden(r) && inTag:
			b.WriteRune(utf8.RuneError)
		case hidden(r):
			fmt.Fprintf(&b, `<span class="unseen" title="an invisible character">U+%04X</span>`, r)
		default:
			b.WriteString(text[i : i+n])
		}
		i += n
	}
	return b.String()
}

// hidden reports whether a reader would not see a character.
func hidden(r rune) bool {
	switch r {
	case '\n', '\t', '\r':
		return false
	case 0x200b, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0x180e, 0xad, 0x3164, 0x115f, 0x1160, utf8.RuneError:
		return r != utf8.RuneError
	}
	return safetext.Dangerous(r)
}

// Marked is a plain text as HTML, in which words that begin with one of these stand out.
func Marked(plain string, words []string) string { return mark(html.EscapeString(plain), words) }

// mark makes words stand out in the text of sanitized HTML.
func mark(text string, words []string) string {
	var all []string
	for _, w := range words {
		if w = strings.TrimSpace(w); w != "" {
			all = append(all, regexp.QuoteMeta(html.EscapeString(w)))
		}
	}
	if len(all) == 0 {
		return text
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	find := regexp.MustCompile(`(?i)` + strings.Join(all, "|"))
	var b bytes.Buffer
	for text != "" {
		tag := strings.IndexByte(text, '<')
		if tag < 0 {
			tag = len(text)
		}
		b.WriteString(markText(text[:tag], find))
		text = text[tag:]
		if end := strings.IndexByte(text, '>'); end >= 0 {
			b.WriteString(text[:end+1])
			text = text[end+1:]
		} else {
			b.WriteString(text)
			break
		}
	}
	return b.String()
}

// entity is an escaped character, which is no word.
var entity = lazyregexp.New(`&[#A-Za-z0-9]+;`)

func markText(text string, find *regexp.Regexp) string {
	var b strings.Builder
	end := 0
	plain := func(s string) {
		for at := find.FindStringIndex(s); at != nil; at = find.FindStringIndex(s) {
			rest := strings.TrimLeftFunc(s[at[1]:], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
			b.WriteString(s[:at[0]] + "<mark>" + s[at[0]:len(s)-len(rest)] + "</mark>")
			s = rest
		}
		b.WriteString(s)
	}
	for _, m := range entity().FindAllStringIndex(text, -1) {
		plain(text[end:m[0]])
		b.WriteString(text[m[0]:m[1]])
		end = m[1]
	}
	plain(text[end:])
	return b.String()
}

var anyID = lazyregexp.New(` (?:id|data-line)="[^"]*"`)

// withoutIDs removes ids, for a text that is on a page with others.
func withoutIDs(text string) string { return anyID().ReplaceAllString(text, "") }
