package kb

import (
	"path"
	"strings"
)

// PlainLink is the type of a link that says none: the relation of a page to one that it
// mentions.
const PlainLink = "links_to"

// Link is an indexed edge between pages, with what the document says of it.
type Link struct {
	From       int64  // Page.Row of the page that holds the link
	To         int64  // Page.Row of the target, 0 while unresolved
	Kind       string // doc.LinkKind, or "relation"
	Type       string // relation type; PlainLink for those without one
	Name       string // target as written, decoded: a title, slug, path, alias or id
	Key        string // NameKey of the target's last segment, by which it is found
	Heading    string // what follows "#": a heading, and after "^" a block; see Anchor
	Text       string // alias or link text
	ValidFrom  string // ISO date of any precision, "" when open or not dated
	ValidUntil string
	Context    string
	Line       int // 1-based line in the document
	Candidates int // pages that matched equally well; more than 1 is ambiguous and To is 0
}

// Anchor returns the heading and the block that the link names in its page, ""
// where it names none.
func (l Link) Anchor() (heading, block string) {
	if i := strings.LastIndexByte(l.Heading, '^'); i >= 0 && !strings.ContainsAny(l.Heading[i+1:], " \t") {
		return l.Heading[:i], l.Heading[i+1:]
	}
	return l.Heading, ""
}

// Unwritten reports whether the link is to a page that nothing asks for: a day, as in
// [[2026-11-23]], which may be written when the day comes, a citation, or somebody's
// "@name". Without a page it is no broken link.
func (l Link) Unwritten() bool {
	day, _ := path.Match(DayKey, l.Key)
	return l.To == 0 && l.Candidates == 0 && (day || l.Kind == "org-cite" || l.Kind == "mention")
}

// DayKey is the pattern of the keys of links to days.
const DayKey = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"

// Interval returns the time for which the link holds.
func (l Link) Interval() Interval { return Interval{l.ValidFrom, l.ValidUntil} }

// Ending is a sentence of a page by which what one of its links says is over.
type Ending struct {
	Page  int64
	Link  int    // position of the link among those of the page
	Until string // ISO date of any precision, "" when the sentence gives none
	Quote string // the sentence
	Line  int    // 1-based line in the document
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
