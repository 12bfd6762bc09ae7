package lifecycle

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/doc/sentence"
)

// Prose is the truth of a page with the names and links in it that refer to
// pages.
type Prose struct {
	Title    string
	Text     []byte
	Mentions []Mention // in order, apart from each other
	Names    []Name    // by which the text may call a page without linking to it
}

// Mention is a link in the text.
type Mention struct {
	Start, End int
	Link       int // position among the links of the page
}

// Name is the text of a link for its page.
type Name struct {
	Text string
	Link int
}

// Ended is a sentence that reports an end.
type Ended struct {
	Link  int
	Until string // ISO date of any precision, "" when the sentence has none
	Quote string
	At    int // where the sentence begins in the text
}

// mayEnd are words of which every ending has at least one: most texts have
// none, and are skipped.
var mayEnd = []string{"eft ", "uit ", "eparted ", "esigned ", "tepped down ", "etired ", " until ", "no longer ", "ormer"}

// MayEnd reports whether a text has words that Endings looks for.
func MayEnd(text []byte) bool {
	return slices.ContainsFunc(mayEnd, func(word string) bool { return bytes.Contains(text, []byte(word)) })
}

// A mention in a sentence is written as its number in mark. The patterns are few and
// narrow on purpose: a sentence about somebody else, a plan, a rumour or a role must
// not count, and one that is missed costs less than one that is wrong.
const (
	mark  = "\x01"
	m     = mark + `(\d+)` + mark
	month = `(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?`
	date  = `((?:` + month + ` )?(?:\d{1,2},? )?(?:` + month + ` )?[12]\d{3}(?:-\d\d){0,2})`
	tail  = `(?:(?:,| to| for| after| because| and) .*)?[.!]?$`
	who   = `(?:` + mark + `S` + mark + ` )?`
	adv   = `(?:(?:has|had|have|then|finally|also|voluntarily) )*`
)

// dateFirst is the pattern with the date before the mention.
const dateFirst = 1

// patterns are made when a text first has one of the words.
type patterns struct {
	endings                                 []*regexp.Regexp
	doubt                                   *regexp.Regexp // they invalidate the sentence
	back                                    *regexp.Regexp // they undo an ending anywhere in the truth
	still                                   *regexp.Regexp // they say that the relation continues
	others                                  *regexp.Regexp // other persons that a pronoun may refer to
	mention, pronoun, dated, longer, proper *regexp.Regexp
}

var compiled = sync.OnceValue(func() *patterns {
	re := regexp.MustCompile
	return &patterns{
		endings: []*regexp.Regexp{
			re(`^` + who + adv + `(?:[Ll]eft|[Qq]uit|[Dd]eparted(?: from)?|[Rr]esigned from|[Ss]tepped down from|[Rr]etired from) ` + m + ` (?:in|on) ` + date + tail),
			re(`^(?:In|On) ` + date + `,? ` + mark + `S` + mark + ` ` + adv + `(?:left|quit|departed(?: from)?|resigned from|stepped down from|retired from) ` + m + tail),
			re(`^` + who + adv + `(?:[Ww]orked|was|been|[Ss]tayed|[Ll]ived|[Ss]erved|was employed|[Ee]mployed) (?:at|for|with|in|by) ` + m + `(?: from ` + month + `? ?\d{4})? until ` + date + tail),
			re(`^(?:At|With) ` + m + ` until ` + date + tail),
			re(`^` + mark + `S` + mark + ` (?:is )?no longer (?:works |employed |lives )?(?:at|for|with|in) ` + m + `(?:,.*)?[.!]?$`),
			re(`^(?:` + mark + `S` + mark + ` (?:is|was) )?(?:[Aa]n? |[Tt]he )?(?:[Ff]ormer (?:[a-z-]+ ){1,3}at|[Ff]ormerly (?:at|of|with)|[Ff]ormer (?:employee|member|resident) of) ` + m + `(?:,.*)?[.!]?$`),
		},
		doubt:   re(`(?i:\b(?:not|never|if|unless|would|might|could|should|plans?|planned|planning|wants?|wanted|rumou?r(?:s|ed)?|reportedly|allegedly|supposedly|said|says|claims?|claimed|denie[sd]|almost|nearly|considered|temporarily|briefly|sabbatical|again|now|today|currently|promoted|became)\b)|n't|n’t|\bmay\b|["“”„«»?]|~~`),
		back:    re(`(?i)\b(?:returned|returns|rejoined|re-joined|rehired|re-hired|came back|went back|is back|moved back)\b`),
		still:   re(`(?i)\b(?:is|works|leads|runs|now|currently|still|today)\b`),
		others:  re(`\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+|\b(?:brother|sister|wife|husband|friend|partner|colleague|mother|father|son|daughter)\b`),
		mention: re(m), pronoun: re(`^(?:He|She|They|It|I|We|he|she|they|it|we)\b`), dated: re(`^(?:In|On) ` + date + `,? `),
		longer: re(`^(?:[\p{L}\p{N}_'’&/-]| \p{Lu})`), proper: re(` \p{Lu}\S* $`),
	}
})

// Endings returns the sentences that end the relation of a link of the page. A
// page that the text also describes as current has none.
func Endings(p Prose) (out []Ended) {
	if !MayEnd(p.Text) {
		return nil
	}
	re := compiled()
	if re.back.Match(p.Text) {
		return nil
	}
	var goesOn []int // links to pages that the truth describes as current
	for _, s := range sentences(p.Text) {
		text := p.marked(re, s)
		found := p.ended(re, text, s)
		if len(found) == 0 && re.still.MatchString(text) {
			for _, n := range re.mention.FindAllStringSubmatch(text, -1) {
				link, _ := strconv.Atoi(n[1])
				goesOn = append(goesOn, link)
			}
		}
		out = append(out, found...)
	}
	return slices.DeleteFunc(out, func(e Ended) bool {
		return slices.ContainsFunc(goesOn, func(link int) bool { return p.same(link, e.Link) })
	})
}

// same reports whether two links call their pages alike, as far as the text knows.
func (p Prose) same(a, b int) bool {
	return a == b || slices.ContainsFunc(p.Names, func(x Name) bool {
		return x.Link == a && slices.ContainsFunc(p.Names, func(y Name) bool { return y.Link == b && x.Text == y.Text })
	})
}

// ended returns the endings in a sentence.
func (p Prose) ended(re *patterns, text string, s proseSentence) (out []Ended) {
	if re.doubt.MatchString(text) || !strings.Contains(text, mark) {
		return nil
	}
	text = p.subject(re, text, s)
	for i, pattern := range re.endings {
		found := pattern.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		link, until := found[1], ""
		if len(found) > 2 {
			until = found[2]
		}
		if i == dateFirst {
			link, until = found[2], found[1]
		}
		day := isoDate(until)
		if until != "" && day == "" {
			return nil
		}
		n, _ := strconv.Atoi(link)
		quote := strings.Join(strings.Fields(string(p.Text[s.start:s.end])), " ")
		return []Ended{{Link: n, Until: day, Quote: sentence.Shorten(quote, maxQuote), At: s.start}}
	}
	return nil
}

// maxQuote bounds the quoted part of a sentence, in characters.
const maxQuote = 300

// subject writes the page's name at the start of a sentence, or after its date, as a
// mark: in full or by a word of it, or a pronoun where the paragraph speaks of the page
// and of nobody else.
func (p Prose) subject(re *patterns, text string, s proseSentence) string {
	start := re.dated.FindString(text)
	rest := text[len(start):]
	if after, ok := p.called(rest); ok {
		return start + mark + "S" + mark + after
	}
	if w := re.pronoun.FindString(rest); w != "" && (s.first || p.speaks(re, s)) {
		return start + mark + "S" + mark + rest[len(w):]
	}
	return text
}

// called cuts the page's title, or a word of it, from the start of a text. A title
// that is made of the name of a file is in small letters.
func (p Prose) called(text string) (after string, ok bool) {
	words := strings.FieldsFunc(p.Title, func(r rune) bool { return r == ' ' || r == '-' || r == '_' })
	for _, name := range append([]string{p.Title, strings.Join(words, " ")}, words...) {
		n := len(name)
		if n > 2 && n < len(text) && strings.EqualFold(text[:n], name) && text[n] == ' ' {
			return text[n:], true
		}
	}
	return text, false
}

// speaks reports whether the paragraph of a sentence begins with the page's name, and
// names nobody else before it.
func (p Prose) speaks(re *patterns, s proseSentence) bool {
	before, ok := p.called(string(p.Text[s.paragraph:s.start]))
	return ok && !re.others.MatchString(before)
}

// proseSentence is a sentence of the text.
type proseSentence struct {
	start, end int
	paragraph  int  // where its paragraph begins
	first      bool // of the paragraph
}

// marked is a sentence in one line with its mentions as numbers.
func (p Prose) marked(re *patterns, s proseSentence) string {
	var b strings.Builder
	at := s.start
	plain := func(end int) {
		b.WriteString(p.named(re, string(bytes.ReplaceAll(p.Text[at:end], []byte(mark), nil))))
	}
	for _, k := range p.Mentions {
		if k.Start < at || k.End > s.end {
			continue
		}
		plain(k.Start)
		fmt.Fprintf(&b, "%s%d%s", mark, k.Link, mark)
		at = k.End
	}
	plain(s.end)
	return strings.Join(strings.Fields(b.String()), " ")
}

// named replaces the names of pages in a text without links by numbers. A part
// of a longer name is not a match.
func (p Prose) named(re *patterns, text string) string {
	for _, n := range p.Names {
		for from := 0; n.Text != ""; {
			i := strings.Index(text[from:], n.Text)
			if i < 0 {
				break
			}
			i += from
			end := i + len(n.Text)
			from = end
			if re.longer.MatchString(text[end:]) || re.proper.MatchString(text[:i]) || i > 0 && text[i-1] != ' ' {
				continue
			}
			number := fmt.Sprintf("%s%d%s", mark, n.Link, mark)
			text, from = text[:i]+number+text[end:], i+len(number)
		}
	}
	return text
}

// sentences returns the sentences of a text that describe the page: not those
// of headings, code, tables, comments, nested items, or quotations below the
// summary.
func sentences(text []byte) (out []proseSentence) {
	var (
		start   = -1 // of the paragraph
		quotes  int  // blocks of quotes that were seen
		quoting bool
		skip    string // what ends the block that is skipped
	)
	flush := func(end int) {
		if start >= 0 {
			out = split(out, text, start, end)
		}
		start = -1
	}
	for at := 0; at < len(text); {
		end := at + bytes.IndexByte(text[at:], '\n') + 1
		if end == at {
			end = len(text)
		}
		line := strings.TrimRight(string(text[at:end]), " \t\r\n")
		body := strings.TrimLeft(line, " \t")
		indent := len(line) - len(body)
		lower := strings.ToLower(body)
		switch {
		case skip != "":
			if strings.HasPrefix(lower, skip) || skip == "-->" && strings.Contains(line, skip) {
				skip = ""
			}
			flush(at)
		case strings.HasPrefix(body, "```"), strings.HasPrefix(body, "~~~"):
			flush(at)
			skip = body[:3]
		case strings.HasPrefix(lower, "#+begin"):
			flush(at)
			skip = "#+end"
		case strings.Contains(line, "<!--"):
			flush(at)
			if !strings.Contains(line, "-->") {
				skip = "-->"
			}
		case body == "", body[0] == '#', body[0] == '|', strings.HasPrefix(line, "*") && !strings.HasPrefix(line, "* "),
			indent >= 2, strings.HasPrefix(body, ": "), strings.HasPrefix(body, "%%"):
			flush(at)
		case body[0] == '>':
			if !quoting {
				quotes++
			}
			if flush(at); quotes == 1 {
				out = split(out, text, at+indent+1, end)
			}
		case strings.HasPrefix(body, "- "), strings.HasPrefix(body, "* "), strings.HasPrefix(body, "+ "):
			flush(at)
			start = at + indent + 2
		case start < 0:
			start = at
		}
		quoting = strings.HasPrefix(body, ">")
		at = end
	}
	flush(len(text))
	return out
}

// split adds the sentences of a paragraph.
func split(out []proseSentence, text []byte, start, end int) []proseSentence {
	for i, x := range sentence.Spans(text[start:end]) {
		p := proseSentence{start: start + x.Start, end: start + x.End, first: i == 0}
		if p.paragraph = p.start; !p.first {
			p.paragraph = out[len(out)-1].paragraph
		}
		out = append(out, p)
	}
	return out
}

var months = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}

// isoDate converts a date matched by the patterns, "" when it is invalid.
func isoDate(text string) string {
	var year, mon, day string
	for _, f := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '.' }) {
		switch {
		case len(f) >= 4 && f[0] <= '9':
			year = f
		case f[0] <= '9':
			day = fmt.Sprintf("%02s", f)
		default:
			i := slices.Index(months, strings.ToLower(f[:3]))
			if i < 0 || mon != "" {
				return ""
			}
			mon = fmt.Sprintf("%02d", i+1)
		}
	}
	switch {
	case len(year) > 4:
		if mon != "" || day != "" {
			return ""
		}
		return realDate(year)
	case mon == "":
		if day != "" {
			return ""
		}
		return year
	case day == "":
		return year + "-" + mon
	}
	return realDate(year + "-" + mon + "-" + day)
}

func realDate(date string) string {
	if _, err := time.Parse(time.DateOnly[:len(date)], date); err != nil {
		return ""
	}
	return date
}
