package kb

import (
	"path"
	"strings"
)

// PlainLink is the type of a link without one: a page mentions another.
const PlainLink = "links_to"

// Link is an indexed edge between pages with its properties in the document.
type Link struct {
	From       int64  // Page.Row of the page with the link
	To         int64  // Page.Row of the target, 0 while unresolved
	Kind       string // doc.LinkKind, or "relation"
	Type       string // relation type; PlainLink for those without one
	Name       string // target as written, decoded: a title, slug, path, alias or id
	Key        string // NameKey of the target's last segment, for lookup
	Heading    string // the text after "#": a heading, and after "^" a block; see Anchor
	Text       string // alias or link text
	ValidFrom  string // ISO date of any precision, "" when open or not dated
	ValidUntil string
	Context    string
	Line       int // 1-based line in the document
	Candidates int // pages that matched equally well; more than 1 is ambiguous and To is 0
}

// Anchor returns the heading and the block in the link's target, "" for none.
func (l Link) Anchor() (heading, block string) {
	if i := strings.LastIndexByte(l.Heading, '^'); i >= 0 && !strings.ContainsAny(l.Heading[i+1:], " \t") {
		return l.Heading[:i], l.Heading[i+1:]
	}
	return l.Heading, ""
}

// Unwritten reports whether the target does not have to exist: a day, as in
// [[2026-11-23]], a citation, or an "@name". Such a link without a page is not
// broken.
func (l Link) Unwritten() bool {
	day, _ := path.Match(DayKey, l.Key)
	return l.To == 0 && l.Candidates == 0 && (day || l.Kind == "org-cite" || l.Kind == "mention")
}

// DayKey is the pattern of the keys of links to day pages.
const DayKey = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"

// Interval returns the time for which the link holds.
func (l Link) Interval() Interval { return Interval{l.ValidFrom, l.ValidUntil} }

// Ending is a statement on a page that a relation from a subject to an object is
// over.
type Ending struct {
	Page    int64
	Subject int    // position of the link to the subject among those of the page, -1 for the page itself
	Object  int    // likewise of the object
	Name    string // of the object if it is a metadata value and not a link; "" for none
	Until   string // ISO date of any precision, "" when the statement has none
	On      string // date of the statement, "" when it has none
	Source  string // cited in the statement, or the source of its entry
	Entry   bool   // it is in the timeline
	Quote   string // the statement
	Line    int    // 1-based line in the document
}

// Observation is a fact written as a list item.
type Observation struct {
	Page     int64
	Category string
	Text     string
	Tags     []string
	Context  string
	Line     int
}

// Entry is a dated timeline entry.
type Entry struct {
	Page   int64
	Date   string // ISO date of any precision
	Source string
	Text   string
	Detail string
	Line   int
}
