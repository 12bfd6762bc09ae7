package render

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/microcosm-cc/bluemonday"
	nethtml "golang.org/x/net/html"

	"github.com/cairn-kb/cairn/internal/kb/safetext"
)

// classNames are those that an element may have; the style sheet gives some of them a
// meaning, which a document must not use for itself.
var classNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:page|broken|outside|file|tag|task|done|box|due|observation|category|relation|type|interval|ended|` +
		`callout|callout-title|note|info|tip|hint|abstract|summary|tldr|todo|success|check|question|help|faq|warning|caution|attention|failure|fail|missing|danger|error|bug|example|quote|cite|important|` +
		`embed|embed-of|picture|math|drawer|footnotes|footnote-ref|footnote-backref|footnote-definition|chroma|chunk|secret|verbatim|timestamp|priority|tags|statistic|` +
		`err|[a-z]|[a-z][a-z0-9]{1,2})(?: |$))+$`)
})

// Patterns of attributes.
const (
	ids     = `^(?:L\d+|here|(?:e\d+-)*(?:h|b)-[^\s"'<>&]+|fn-fn(?:ref)?\d*:[^\s"'<>&]+|footnote-(?:reference-)?\d+)$`
	numbers = `^\d+$`
)

// The policies are made when the first page is rendered: most runs of cairn render none.
var (
	policy = sync.OnceValue(newPolicy)
	// rawPolicy is for HTML that a document brings: it has no ids and classes, which are
	// the renderer's, and no addresses of this server.
	rawPolicy = sync.OnceValue(newRawPolicy)
)

// elements are those that a page may have.
var elements = []string{"p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "em", "strong", "del", "ins", "s", "u", "b", "i", "small", "sub", "sup", "kbd", "samp", "var", "mark", "abbr",
	"code", "pre", "blockquote", "ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tfoot", "tr", "th", "td", "caption", "figure", "figcaption",
	"details", "summary", "div", "span", "section", "aside", "a", "img", "q", "cite", "time"}

func newRawPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(elements...)
	allowText(p)
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	return p
}

// allowText allows the attributes that say something of the text.
func allowText(p *bluemonday.Policy) {
	p.AllowAttrs("title").Globally()
	p.AllowAttrs("dir").Matching(regexp.MustCompile(`^(?:ltr|rtl|auto)$`)).Globally()
	p.AllowAttrs("lang").Matching(regexp.MustCompile(`^[A-Za-z-]{2,12}$`)).Globally()
	p.AllowAttrs("colspan", "rowspan", "start").Matching(regexp.MustCompile(numbers)).OnElements("td", "th", "ol")
	p.AllowAttrs("open").Matching(regexp.MustCompile(`^$`)).OnElements("details")
	p.AllowAttrs("datetime").Matching(regexp.MustCompile(`^[0-9T:Z+-]+$`)).OnElements("time")
}

func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(elements...)
	allowText(p)
	p.AllowAttrs("class").Matching(classNames()).Globally()
	p.AllowAttrs("id").Matching(regexp.MustCompile(ids)).Globally()
	p.AllowAttrs("data-line").Matching(regexp.MustCompile(numbers)).Globally()
	p.AllowAttrs("role", "aria-label").Matching(regexp.MustCompile(`^(?:img|doc-noteref|doc-backlink|doc-endnotes|region|[a-z ]{1,20})$`)).OnElements("span", "a", "div", "pre")
	p.AllowAttrs("tabindex").Matching(regexp.MustCompile(`^0$`)).OnElements("pre", "div", "table")
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("src").Matching(regexp.MustCompile(`^/[^/\\]`)).OnElements("img")
	p.AllowAttrs("alt").OnElements("img")
	p.AllowAttrs("loading").Matching(regexp.MustCompile(`^lazy$`)).OnElements("img")
	p.AllowAttrs("width", "height").Matching(regexp.MustCompile(numbers)).OnElements("img")
	p.AllowRelativeURLs(true)
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnFullyQualifiedLinks(true)
	return p
}

// sanitize leaves only what the policy allows, with an end for each element that begins.
func sanitize(text string) string { return balance(policy().Sanitize(text)) }

// raw is HTML of a document that may be among ours: links in it lead to other servers, and
// pictures are shown as those of Markdown.
func (s *Source) raw(text string) string {
	var b, part strings.Builder
	flush := func() {
		b.WriteString(strings.ReplaceAll(rawPolicy().Sanitize(part.String()), "<a href=", `<a class="outside" href=`))
		part.Reset()
	}
	z := nethtml.NewTokenizer(strings.NewReader(text))
	for {
		kind := z.Next()
		raw := string(z.Raw())
		if name, _ := z.TagName(); (kind == nethtml.StartTagToken || kind == nethtml.SelfClosingTagToken) && string(name) == "img" {
			var at, alt string
			for more := true; more; {
				var key, value []byte
				key, value, more = z.TagAttr()
				switch string(key) {
				case "src":
					at = string(value)
				case "alt":
					alt = string(value)
				}
			}
			flush()
			b.WriteString(s.picture(at, alt))
			continue
		}
		if kind == nethtml.ErrorToken {
			flush()
			return b.String()
		}
		part.WriteString(raw)
	}
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
	find := regexp.MustCompile(`(?i)(?:` + strings.Join(all, "|") + `)[\pL\pN]*`)
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
var entity = regexp.MustCompile(`&[#A-Za-z0-9]+;`)

func markText(text string, find *regexp.Regexp) string {
	var b strings.Builder
	end := 0
	plain := func(s string) { b.WriteString(find.ReplaceAllString(s, "<mark>$0</mark>")) }
	for _, m := range entity.FindAllStringIndex(text, -1) {
		plain(text[end:m[0]])
		b.WriteString(text[m[0]:m[1]])
		end = m[1]
	}
	plain(text[end:])
	return b.String()
}

var anyID = regexp.MustCompile(` (?:id|data-line)="[^"]*"`)

// withoutIDs removes ids, for a text that is on a page with others.
func withoutIDs(text string) string { return anyID.ReplaceAllString(text, "") }
