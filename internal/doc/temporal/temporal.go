package temporal

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Self is the page itself, in place of the index of a link.
const Self = -1

// Mention is a link in the text.
type Mention struct {
	Span doc.Span
	Link int // index in the links of the page
}

// Name is a text by which the page may refer to the target of a link without a link.
type Name struct {
	Text string
	Link int
}

// Prose is a node of a document with the names and links that its text may use.
type Prose struct {
	Cues
	Mentions []Mention // in order, without overlaps
	Names    []Name    // longer ones first
}

// Ended is a statement that a relation has ended. Its links are indexes in Prose, or Self.
type Ended struct {
	kb.Ending
	At int // offset in the document's text
}

// date returns the first day on which the relation has ended according to the statement.
func (e Ended) date() string { return cmp.Or(e.Until, e.On) }

// holds is a statement that a relation of the page is current.
type holds struct {
	object int
	on     string // date of the statement
	again  bool   // somebody returned
}

// cues are words of which every statement of an end has at least one: most sentences have
// none, and are skipped. The dated ones indicate an end only together with a date: "until",
// "2019–2023".
var (
	cues = []string{
		"eft ", "eft.", "eft_", "uit ", "xited ", "eparted", "esigned", "tepped down", "etired ", " fired ", "Fired ", "ismissed ", "aid off ", "et go ", "et go.", "usted ", " fired.", "aid off.", " sacked.",
		"emoved ", "arted ways", "arted company", "moved ", "Moved ", "ivorced ", "eparated ", "topped ", "ceased ", "Ceased ", " ended", "Ended", "inished ", "ompleted ",
		"o longer ", "ormer", "ex-", "Ex-", " ex ", "reviously ", "sed to ", "witched ",
		"elocated ", "ransferred ", "xpired", "ran out", "terminated", "lapsed", " is over", "o an end", "leaving ", "eparture ", "exit from ", "eaves ",
		"uits ", "eparts", "esigns", "teps down", "etires ", "moves ", "Moves ", "witches ", "elocates ", "ny more", "nymore", "ny longer", "edundant ", " sacked ", "anded over as ", "ucceeded ", "eplaced ", "ook over from ",
	}
	datedCues = []string{
		"ntil ", "till ", "etween ", "hrough ", "up to ", "ast day", "ast working day",
		"–1", "–2", "– 1", "– 2", "—1", "—2",
		"– J", "– F", "– M", "– A", "– S", "– O", "– N", "– D", " - 1", " - 2", "-19", "-20", "to 1", "to 2", "to Q",
		"to Jan", "to Feb", "to Mar", "to Apr", "to May", "to Jun", "to Jul", "to Aug", "to Sep", "to Oct", "to Nov", "to Dec",
	}
)

// cue is a word that a statement of an end, or an "as of" statement, may have.
type cue struct {
	text  string
	dated bool
	asOf  bool
	of    *language // nil for English
}

// cueTable has all cues, so that a text is searched once for all of them.
type cueTable struct {
	at    [1 << 16]uint8       // number of the list for the first two bytes, 0 for none
	lists [][]cue              // the first list is empty
	opens [1 << 16 / 64]uint64 // hashes of the first three bytes, which exclude most positions
}

var table = sync.OnceValue(func() *cueTable {
	t := &cueTable{lists: [][]cue{nil}}
	add := func(c cue) {
		h := opening(uint32(c.text[0])<<16 | uint32(c.text[1])<<8 | uint32(c.text[2]))
		t.opens[h/64] |= 1 << (h % 64)
		n := &t.at[uint16(c.text[0])<<8|uint16(c.text[1])]
		if *n == 0 {
			*n = uint8(len(t.lists))
			t.lists = append(t.lists, nil)
		}
		t.lists[*n] = append(t.lists[*n], c)
	}
	for _, c := range cues {
		add(cue{text: c})
	}
	for _, c := range datedCues {
		add(cue{text: c, dated: true})
	}
	for _, phrase := range asOfPhrases {
		add(cue{text: phrase, asOf: true})
	}
	for i := range languages {
		for _, c := range languages[i].cues {
			add(cue{text: c, of: &languages[i]})
		}
		for _, c := range languages[i].datedCues {
			add(cue{text: c, dated: true, of: &languages[i]})
		}
	}
	return t
})

// opening is a hash of 16 bits of the lower three bytes.
func opening(three uint32) uint32 { return three << 8 * 2654435761 >> 16 }

// Cues are the positions of the cues in the text of a node. All rules of this package share
// them, so that the text of a page is searched once.
type Cues struct {
	Document *doc.Document
	Node     int
	// Offsets in the text of the document, in order: of the cues of an end, of those that
	// indicate an end together with a date, and of the words that introduce an "as of" date.
	ends, dated, asOf []int
}

// Find returns the cues of a node. Line ends and tabs count as blanks, and so do the bytes
// before and after the text.
func Find(d *doc.Document, node int) Cues {
	c := Cues{Document: d, Node: node}
	span := d.Nodes[node].Span
	for at, cue := range cuesIn(d.Text[span.Start:span.End]) {
		switch at += span.Start; {
		case cue.asOf:
			c.asOf = append(c.asOf, at)
		case cue.dated:
			c.dated = append(c.dated, at)
		default:
			c.ends = append(c.ends, at)
		}
	}
	return c
}

// MayEnd reports whether the text of the node has a cue of an end. Without one, Endings
// finds nothing.
func (c Cues) MayEnd() bool { return c.mayEnd(c.Document.Nodes[c.Node].Span) }

// mayEnd reports whether a part of the text of the node has a cue of an end.
func (c Cues) mayEnd(s doc.Span) bool {
	return begin(c.ends, s) || begin(c.dated, s) && mayDate(c.Document.Text[s.Start:s.End])
}

// begin reports whether one of some offsets, which are in order, is in a span, or in the
// byte before it, since the blank there is part of a cue.
func begin(offsets []int, s doc.Span) bool {
	i, _ := slices.BinarySearch(offsets, s.Start-1)
	return i < len(offsets) && offsets[i] < s.End
}

// MayEnd reports whether a text has a cue of an end.
func MayEnd(text string) bool {
	dated := false
	for _, c := range cuesIn(text) {
		if !c.dated && !c.asOf {
			return true
		}
		dated = dated || c.dated
	}
	return dated && mayDate(text)
}

// cuesIn yields the cues in a text with their offsets, -1 for one that starts with the blank
// before the text.
func cuesIn[T string | []byte](text T) iter.Seq2[int, *cue] {
	return func(yield func(int, *cue) bool) {
		t := table()
		last := uint32(' ') // four bytes up to i
		for i := range len(text) + 1 {
			next := byte(' ')
			if i < len(text) {
				next = blanks[text[i]]
			}
			last = last<<8 | uint32(next)
			if h := opening(last); t.opens[h/64]>>(h%64)&1 == 0 || i == 0 {
				continue
			}
			at := i - 2 // start of the cue
			list := t.lists[t.at[uint16(last>>8)]]
			for j := range list {
				c := &list[j]
				if !begins(text, at+2, c.text[2:]) || c.asOf && at > 0 && isLetter(text[at-1]) {
					continue
				}
				if !yield(at, c) {
					return
				}
			}
		}
	}
}

// begins reports whether the rest of a cue is at a position of a text.
func begins[T string | []byte](text T, at int, rest string) bool {
	if at+len(rest) > len(text) { // the last blank may be after the text
		if at+len(rest) != len(text)+1 || rest[len(rest)-1] != ' ' {
			return false
		}
		rest = rest[:len(rest)-1]
	}
	for i := range len(rest) {
		if blanks[text[at+i]] != rest[i] {
			return false
		}
	}
	return true
}

// blanks maps every white space byte to a space, and other bytes to themselves.
var blanks = func() (all [256]byte) {
	for i := range all {
		if all[i] = byte(i); i == '\n' || i == '\t' || i == '\r' {
			all[i] = ' '
		}
	}
	return all
}()

// Endings returns the statements that relations have ended, by position. A statement that
// the page revokes later is left out.
func Endings(p Prose) []Ended {
	r := &reader{Prose: p, d: p.Document, n: &p.Document.Nodes[p.Node]}
	all := p.blocks()
	r.each(all, false)
	r.contexts()
	r.properties()
	if len(r.ended) == 0 {
		return nil
	}
	r.each(all, true)
	slices.SortStableFunc(r.ended, func(a, b Ended) int { return cmp.Compare(a.At, b.At) })
	return slices.DeleteFunc(r.ended, r.revoked)
}

// reader collects the statements of a node.
type reader struct {
	Prose
	d     *doc.Document
	n     *doc.Node
	re    *patterns // compiled for the first sentence, which takes as long as reading hundreds of pages
	ended []Ended
	holds []holds

	callings map[int][]string // see texts; nil until needed

	// The "as of" date of the section with this number.
	asOf  string
	scope int
}

// each reads blocks: for ends or, with held, for current relations.
func (r *reader) each(all iter.Seq[block], held bool) {
	r.asOf, r.scope = "", -1
	for b := range all {
		r.block(b, held)
	}
}

// revoked reports whether the page states later that the relation is current. A statement
// without a date is revoked by any other.
func (r *reader) revoked(e Ended) bool {
	if e.Subject != Self {
		return e.Object == Self && e.Name == "" && slices.ContainsFunc(r.holds, func(h holds) bool {
			return h.again && (h.object == Self || r.same(h.object, e.Subject)) && (h.on == "" || e.date() == "" || kb.CompareDates(h.on, e.date()) >= 0)
		})
	}
	return slices.ContainsFunc(r.holds, func(h holds) bool {
		switch {
		case h.object != Self && !r.same(h.object, e.Object):
			return false
		case h.again && (h.on == "" || e.date() == "" || kb.CompareDates(h.on, e.date()) >= 0), e.date() == "":
			return true
		}
		return h.on != "" && kb.CompareDates(h.on, e.date()) > 0
	})
}

// same reports whether two links seem to have the same target, by their texts.
func (r *reader) same(a, b int) bool {
	if a == b {
		return true
	}
	if r.callings == nil {
		r.callings = r.texts()
	}
	return slices.ContainsFunc(r.callings[a], func(text string) bool { return slices.Contains(r.callings[b], text) })
}

// texts returns the names by which a page refers to the target of each link, in lower case.
func (r *reader) texts() map[int][]string {
	out := map[int][]string{}
	add := func(link int, text string) {
		if text = strings.ToLower(text); !slices.Contains(out[link], text) {
			out[link] = append(out[link], text)
		}
	}
	for _, n := range r.Names {
		add(n.Link, n.Text)
	}
	for _, m := range r.Mentions {
		text := strings.Trim(string(r.d.Text[m.Span.Start:m.Span.End]), "[]")
		add(m.Link, text[strings.LastIndexAny(text, "|[/")+1:])
	}
	return out
}

// within returns the mentions between two positions of the document.
func (r *reader) within(start, end int) []Mention {
	by := func(m Mention, at int) int { return cmp.Compare(m.Span.Start, at) }
	from, _ := slices.BinarySearchFunc(r.Mentions, start, by)
	to, _ := slices.BinarySearchFunc(r.Mentions, end, by)
	return r.Mentions[from:max(from, to)]
}

// contexts reads the contexts of open relations: "- works_at [[Brex]] (left in 2025)".
func (r *reader) contexts() {
	for _, m := range r.Mentions {
		for i := range r.n.Relations {
			rel := &r.n.Relations[i]
			if rel.Span.Contains(m.Span) && rel.Until == "" && rel.Context != "" && MayEnd(rel.Context) {
				r.context(rel, m.Link)
			}
		}
	}
}

// properties reads the metadata values that are sentences: "role: former CEO of [[Brex]]".
func (r *reader) properties() {
	for _, p := range r.n.Metadata {
		if p.Opaque || len(p.Values) == 0 || !strings.Contains(p.Values[0], " ") && !strings.ContainsFunc(p.Values[0], unspaced) {
			continue
		}
		at := p.Span.Start
		for _, value := range p.Values {
			i := bytes.Index(r.d.Text[at:p.Span.End], []byte(value))
			if i < 0 {
				break
			}
			s := doc.Span{Start: at + i, End: at + i + len(value)}
			at = s.End
			r.block(block{spans: []doc.Span{s}}, false)
		}
	}
}
