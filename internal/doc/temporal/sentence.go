package temporal

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/sentence"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// In a sentence a mention is written as its number in mark, a date as its number in dated,
// and code as one byte. The page itself is "S" in mark.
const (
	mark  = "\x01"
	dated = "\x02"
	code  = "\x03"
	self  = mark + "S" + mark
)

// text is a block on one line.
type text struct {
	block
	line   string
	starts []int // in line, of each span

	relation bool // the block is the line of a relation
}

// offset converts a position in the line to one in the document.
func (t *text) offset(at int) int {
	i, found := slices.BinarySearch(t.starts, at)
	if !found {
		i--
	}
	return min(t.spans[i].Start+at-t.starts[i], t.spans[i].End)
}

// clause is a sentence of a line, or a part of one up to a semicolon, with its words in the
// form for the patterns.
type clause struct {
	raw    string // in the line
	start  int    // in the line
	words  string
	names  []string
	dates  []string // ISO, "" if unknown; "-" for a date that does not exist
	cited  string
	before string      // text of the block before it
	abroad []*language // see languagesOf
}

// inLine removes placeholders, and replaces other white space, in a line.
var inLine = strings.NewReplacer(mark, " ", dated, " ", code, " ", "\t", " ", "\r", " ")

// strong removes strong emphasis from words.
var strong = strings.NewReplacer("**", "", "__", "")

// join joins the lines of a block.
func join(d *doc.Document, b block) *text {
	t := &text{block: b}
	var line strings.Builder
	size := len(b.spans)
	for _, s := range b.spans {
		size += s.Len()
	}
	line.Grow(size)
	t.starts = make([]int, 0, len(b.spans))
	for i, s := range b.spans {
		if i > 0 {
			line.WriteByte(' ')
		}
		t.starts = append(t.starts, line.Len())
		line.Write(d.Text[s.Start:s.End])
	}
	t.line = inLine.Replace(line.String())
	return t
}

// clauses splits a line.
func clauses(line string) (out []clause) {
	for _, span := range sentence.Spans([]byte(line)) {
		for start := span.Start; start < span.End; {
			end := span.End
			if i := strings.Index(line[start:end], "; "); i >= 0 {
				end = start + i + 1
			}
			rest := strings.TrimLeft(line[start:end], " ")
			if start = end - len(rest); rest != "" {
				out = append(out, clause{raw: rest, start: start, before: line[:start]})
			}
			start = end
		}
	}
	return out
}

// mark writes the words of a sentence, with placeholders.
func (r *reader) mark(t *text, s *clause) {
	var b strings.Builder
	at := 0 // in s.raw
	for _, m := range r.within(t.offset(s.start), t.offset(s.start+len(s.raw))+1) {
		from, ok := t.position(m.Span.Start)
		to, ends := t.position(m.Span.End)
		if from -= s.start; !ok || !ends || from < at || to-s.start > len(s.raw) {
			continue
		}
		to -= s.start
		if iso, n := cutDate(s.raw[from:to]); n == to-from && iso != "" {
			continue // a link to the page of a day
		}
		b.WriteString(s.raw[at:from])
		fmt.Fprintf(&b, "%s%d%s", mark, m.Link, mark)
		at = to
	}
	b.WriteString(s.raw[at:])
	// Matching a pattern takes time for the rest of the sentence, so a required byte is
	// searched for first.
	words := b.String()
	if strings.Contains(words, "Source:") {
		words = citation().ReplaceAllStringFunc(words, func(c string) string {
			s.cited = strings.TrimSpace(r.re.mention.ReplaceAllString(citation().FindStringSubmatch(c)[1], ""))
			return ""
		})
	}
	if strings.Contains(words, "[^") {
		words = r.re.footnote.ReplaceAllString(words, "")
	}
	if strings.Contains(words, "`") {
		words = r.re.code.ReplaceAllString(words, code)
	}
	if strings.ContainsAny(words, "*_/") {
		words = r.re.emphasis.ReplaceAllString(strong.Replace(words), "$1$2$3")
	}
	words = strings.Join(strings.Fields(words), " ")
	if hasGap(words) {
		words = r.re.gap.ReplaceAllString(words, "$1")
	}
	if strings.Contains(words, " #") {
		words = r.re.tags.ReplaceAllString(words, "")
	}
	words = r.named(words, r.n.Title, "S")
	for _, n := range r.Names {
		words = r.named(words, n.Text, strconv.Itoa(n.Link))
	}
	if strings.ContainsAny(words, "«「『") {
		words = r.re.quotedName.ReplaceAllString(words, "$1")
	}
	s.abroad = languagesOf(words)
	if slices.ContainsFunc(s.abroad, func(l *language) bool { return l.unspaced }) {
		words = unspacedBlank().ReplaceAllString(words, "$1$2")
	}
	s.words = r.withNames(s, s.withDates(r.re, words))
}

// unspacedBlank is a blank between a script without blanks and a Latin word or a number.
var unspacedBlank = lazyregexp.New(`([\p{Han}\p{Hiragana}\p{Katakana}]) | ([\p{Han}\p{Hiragana}\p{Katakana}])`)

// hasGap reports whether a blank comes before a mark of punctuation.
func hasGap(words string) bool {
	for i := 1; i < len(words); i++ {
		if words[i-1] == ' ' && strings.IndexByte(".,;:!", words[i]) >= 0 {
			return true
		}
	}
	return false
}

// firstName is the number of the first name in a sentence that is of no link.
const firstName = 1 << 24

// mayName reports whether sentences may call pages by name: those that the page has relations
// to, and what a person belonged to.
func (r *reader) mayName() bool { return len(r.Names) > 0 || r.isPerson() }

// withNames replaces other names, where an object may be, by numbers.
func (r *reader) withNames(s *clause, words string) string {
	if !r.mayName() {
		return words
	}
	pattern := r.re.otherName
	if len(s.abroad) > 0 {
		pattern = foreignName()
	}
	if slices.ContainsFunc(s.abroad, func(l *language) bool { return l.unspaced }) {
		rest, _ := r.called(words)
		if i := strings.Index(rest, r.n.Title); i >= 0 {
			rest = rest[i+len(r.n.Title):]
		}
		begin := words[:len(words)-len(rest)]
		for _, p := range unspacedNames() {
			rest = p.ReplaceAllStringFunc(rest, func(found string) string {
				m := p.FindStringSubmatch(found)
				if noName().MatchString(m[2]) {
					return found
				}
				return m[1] + s.nameNumber(m[2]) + m[3]
			})
		}
		words = begin + rest
	}
	return pattern.ReplaceAllStringFunc(words, func(found string) string {
		m := pattern.FindStringSubmatch(found)
		if r.re.notName.MatchString(m[2]) {
			return m[1] + r.withNames(s, m[2])
		}
		if _, own := r.called(m[2] + " "); own {
			return found
		}
		name := strings.TrimRight(m[2], ".’'")
		return m[1] + s.nameNumber(name) + m[2][len(name):]
	})
}

// nameNumber is a name that is of no link as a mention.
func (s *clause) nameNumber(name string) string {
	s.names = append(s.names, name)
	return fmt.Sprintf("%s%d%s", mark, firstName+len(s.names)-1, mark)
}

// position is the place in the line of a place in the document.
func (t *text) position(at int) (int, bool) {
	i, _ := slices.BinarySearchFunc(t.spans, at, func(s doc.Span, at int) int { return cmp.Compare(s.End, at) })
	if i == len(t.spans) || t.spans[i].Start > at {
		return 0, false
	}
	return t.starts[i] + at - t.spans[i].Start, true
}

// named replaces a name by a mention. A part of a longer name does not match, nor does
// the page's own name at the start, where it may be anybody's.
func (r *reader) named(words, name, link string) string {
	if len(name) < 2 || name == strings.ToLower(name) && link == "S" {
		return words
	}
	for from := 0; ; {
		i := strings.Index(words[from:], name)
		if i < 0 {
			return words
		}
		i += from
		end := i + len(name)
		from = end
		before, _ := utf8.DecodeLastRuneInString(words[:i])
		next, _ := utf8.DecodeRuneInString(words[end:])
		if r.re.longer.MatchString(words[end:]) && !unspaced(next) || r.re.proper.MatchString(words[:i]) && !r.endsOwn(words[:i]) ||
			i > 0 && !strings.ContainsRune(" (-/'«「『、，：", before) && !unspaced(before) || strings.Count(words[:i], mark)%2 == 1 {
			continue
		}
		number := mark + link + mark
		words, from = words[:i]+number+words[end:], i+len(number)
	}
}

// endsOwn reports whether a text ends with a name of the page: in "verließ Ada Brex" it is
// no part of the next name.
func (r *reader) endsOwn(words string) bool {
	words = strings.TrimSuffix(words, " ")
	last := words[strings.LastIndexByte(words, ' ')+1:]
	return slices.Contains(strings.Fields(r.n.Title), last) && !strings.HasPrefix(words, last)
}

// withDates replaces dates by their numbers.
func (s *clause) withDates(re *patterns, words string) string {
	var b strings.Builder
	put := func(iso string) {
		fmt.Fprintf(&b, "%s%d%s", dated, len(s.dates), dated)
		s.dates = append(s.dates, iso)
	}
	inside := false // a mention
	year, ago := hasYear(words), hasRelative(words)
	for i := 0; i < len(words); {
		if words[i] == mark[0] {
			inside = !inside
		}
		before, _ := utf8.DecodeLastRuneInString(words[:i])
		if !inside && words[i] != mark[0] && (i == 0 || unspaced(before) || !unicode.IsLetter(before) && !unicode.IsDigit(before)) {
			if year {
				if iso, n := cutDate(words[i:]); n > 0 {
					if iso == "" {
						iso = "-"
					}
					put(iso)
					i += n
					continue
				}
			}
			if ago {
				if m := re.relativeAt(words[i:]); m != "" {
					put("")
					i += len(m)
					continue
				}
			}
			if strings.IndexByte("JFMASOND\xd0\xd1", words[i]) >= 0 && strings.HasSuffix(words[:i], " ") {
				m := re.bareMonth.FindString(words[i:])
				if next, _ := utf8.DecodeRuneInString(words[i+len(m):]); m != "" && !unicode.IsLetter(next) && re.beforeMonth.MatchString(words[:i]) {
					put("?" + m)
					i += len(m)
					continue
				}
			}
		}
		b.WriteByte(words[i])
		i++
	}
	return b.String()
}

// hasRelative reports whether a text may have a relative date: one of the words that the
// pattern ends with.
func hasRelative(words string) bool {
	return slices.ContainsFunc([]string{
		"ago", "last ", "this ", "yesterday", "today", "recently",
		"letzte", "vergangene", "vorige", "diese", "gestern", "kürzlich", "vor ", "dernière", "dernier", "hier", "pasad", "ayer", "scors", "ieri", "vorig", "gisteren", "passad", "ontem",
	}, func(w string) bool { return strings.Contains(words, w) })
}

// relativeAt is the relative date at the start of a text.
func (re *patterns) relativeAt(words string) string {
	if strings.IndexByte("ltyareosfvgkhdin0123456789", words[0]) < 0 {
		return ""
	}
	return re.relative.FindString(words)
}

// date returns the date with a number; of a month without a year the last one by on.
func (s *clause) date(number, on string) (iso string, ok bool) {
	i, err := strconv.Atoi(number)
	if err != nil || i >= len(s.dates) {
		return "", false
	}
	iso = s.dates[i]
	month, bare := strings.CutPrefix(iso, "?")
	switch {
	case iso == "-":
		return "", false
	case !bare:
		return iso, true
	case len(on) < 7:
		return "", true
	}
	year, _ := strconv.Atoi(on[:4])
	name, _, _ := strings.Cut(month, " ")
	iso = isoDate(strconv.Itoa(year), strings.TrimSuffix(name, "."), "", "")
	if kb.CompareDates(iso, on) > 0 {
		iso = isoDate(strconv.Itoa(year-1), strings.TrimSuffix(name, "."), "", "")
	}
	return iso, true
}

// subject writes the page's name at the start of a sentence as a mention: in full, an
// alias or a word of it, or a pronoun where the block speaks of the page and of nobody
// else.
func (r *reader) subject(words, before string, pronoun *regexp.Regexp) string {
	if after, ok := r.called(words); ok {
		return self + after
	}
	if w := pronounAt(pronoun, words); w != "" && (before == "" || r.speaks(before, pronoun)) && !(strings.EqualFold(w, "it") && r.isPerson()) {
		return self + words[len(w):]
	}
	if w := r.re.possessive.FindString(words); w != "" && (before == "" || r.speaks(before, pronoun)) {
		return self + "'s" + words[len(w):]
	}
	return words
}

// pronounAt is the pronoun that a text begins with, "" for none or a longer word.
func pronounAt(pronoun *regexp.Regexp, words string) string {
	w := pronoun.FindString(words)
	if next, _ := utf8.DecodeRuneInString(words[len(w):]); unicode.IsLetter(next) && !unspaced(next) {
		return ""
	}
	return w
}

// maxBefore is how many bytes of a paragraph are read for whom a pronoun after them means.
const maxBefore = 4 << 10

// isPerson reports whether the page is about a person, whom nobody calls "it".
func (r *reader) isPerson() bool {
	return r.n.Type == "person" || r.n.Type == "" && strings.HasPrefix(r.d.Path, "people/")
}

// called cuts a name of the page off the start of a text. A title that is made of the
// name of a file is in small letters.
func (r *reader) called(words string) (after string, ok bool) {
	if after, ok := strings.CutPrefix(words, self); ok {
		return strings.Replace(after, "’s ", "'s ", 1), true
	}
	parts := strings.FieldsFunc(r.n.Title, func(r rune) bool { return r == ' ' || r == '-' || r == '_' })
	names := slices.Concat([]string{r.n.Title, strings.Join(parts, " "), strings.Join(parts, "")}, r.n.Aliases, parts)
	for _, name := range names {
		n := len(name)
		if n < 3 || n >= len(words) || !strings.EqualFold(words[:n], name) || strings.EqualFold(name, "the") || strings.EqualFold(name, "and") {
			continue
		}
		rest := words[n:]
		last, _ := utf8.DecodeLastRuneInString(name)
		next, _ := utf8.DecodeRuneInString(rest)
		if rest[0] == ' ' || rest[0] == ',' || utf8.RuneCountInString(name) > 1 && (unspaced(next) || unspaced(last) && (rest[0] == dated[0] || rest[0] == mark[0])) {
			return rest, true
		} else if after, ok := strings.CutPrefix(strings.Replace(rest, "’", "'", 1), "'s "); ok {
			return "'s " + after, true
		} else if after, ok := strings.CutPrefix(rest, "s "); ok { // in German without an apostrophe
			return "'s " + after, true
		}
	}
	return words, false
}

// speaks reports whether what a block says before a sentence begins with the page's name
// or a pronoun for it, and names nobody else.
func (r *reader) speaks(before string, pronoun *regexp.Regexp) bool {
	if len(before) > maxBefore {
		return false
	}
	before = r.re.emphasis.ReplaceAllString(strings.ReplaceAll(before, "**", ""), "$1$2$3")
	before = r.re.asOfText.ReplaceAllString(before, "")
	if strings.TrimSpace(before) == "" {
		return true
	}
	after, ok := r.called(before)
	if !ok {
		w := pronounAt(pronoun, before)
		after, ok = before[len(w):], w != ""
	}
	return ok && !r.re.others.MatchString(r.named(after, r.n.Title, "S"))
}
