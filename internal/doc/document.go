package doc

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Format is a page's markup format.
type Format string

// The formats.
const (
	Markdown Format = "markdown"
	Org      Format = "org"
	Canvas   Format = "canvas"
	Base     Format = "base"
)

// Whole reports whether pages of the format are only read and written as a whole: no text
// can be added to them.
func (f Format) Whole() bool { return f == Canvas || f == Base }

// Heading returns the line of a heading at the level of a page's sections.
func (f Format) Heading(title string) string {
	if f == Org {
		return "* " + title
	}
	return "## " + title
}

// Span is a half-open range of byte offsets [Start, End) into Document.Text.
type Span struct{ Start, End int }

// Len returns the number of bytes in the span.
func (s Span) Len() int { return s.End - s.Start }

// Contains reports whether t is within s.
func (s Span) Contains(t Span) bool { return s.Start <= t.Start && t.End <= s.End }

// Document is a page parsed by a codec. It is immutable; all slices are in
// order of position.
type Document struct {
	Format   Format
	Path     string // slash-separated, relative to the space; the title comes from it if the text has none
	Source   []byte // stored bytes
	Text     []byte // the same text in UTF-8, without byte order mark; spans refer to it
	Encoding Encoding
	EOL      string // the line ending new text gets: "\n" or "\r\n"

	// Nodes holds the pages of this document. Nodes[0] is the file itself and always exists;
	// the others are Org headings with an ID.
	Nodes []Node

	// Marks are the parts of the text that are markup rather than words. They
	// do not overlap. Reading and Words use them.
	Marks []Mark

	// Echoes are link definitions that programs append for the wikilinks of a text, so that
	// other programs see Markdown links. They are not links themselves.
	Echoes []Echo

	// Files are the targets of links and images by a relative path to files that are not pages.
	Files []Target

	Warnings []Warning
}

// Echo is the definition "[name]: path.md" of a wikilink "[[name]]".
type Echo struct {
	Name   Span   // of the wikilink's name within the label
	Target Target // as for a Markdown link; its Span is the definition
}

// FileTitle returns a name of a node that is not one of its headings: its title, or the
// file's name if the title is its first heading.
func (d *Document) FileTitle(node int) string {
	n := &d.Nodes[node]
	if slices.Contains(n.Aliases, n.Title) {
		return TitleFromPath(d.Path)
	}
	return n.Title
}

// Own returns the parts of a span of a node, in order, without those of nested
// nodes.
func (d *Document) Own(node int, span Span) []Span {
	var out []Span
	at := span.Start
	for i := node + 1; i < len(d.Nodes); {
		inner := d.Nodes[i].Span
		if inner.Start >= span.End {
			break
		}
		if inner.Start >= at {
			if inner.Start > at {
				out = append(out, Span{Start: at, End: inner.Start})
			}
			at = inner.End
		}
		// Nodes are in order of position: skip those nested in inner.
		rest := d.Nodes[i+1:]
		i += 1 + sort.Search(len(rest), func(k int) bool { return rest[k].Span.Start >= at })
	}
	if at < span.End {
		out = append(out, Span{Start: at, End: span.End})
	}
	return out
}

// Shown returns the parts of a span of a node, in order, that belong to it and are visible
// to searches.
func (d *Document) Shown(node int, span Span) []Span {
	own := d.Own(node, span)
	hidden := d.Nodes[node].Hidden
	if len(hidden) == 0 {
		return own
	}
	var out []Span
	for _, s := range own {
		for len(hidden) > 0 && hidden[0].End <= s.Start {
			hidden = hidden[1:]
		}
		for _, h := range hidden {
			if h.Start >= s.End {
				break
			}
			if h.Start > s.Start {
				out = append(out, Span{Start: s.Start, End: h.Start})
			}
			s.Start = min(max(s.Start, h.End), s.End)
		}
		if s.Len() > 0 {
			out = append(out, s)
		}
	}
	return out
}

// IsHidden reports whether the whole node is hidden from searches.
func (n *Node) IsHidden() bool {
	return slices.ContainsFunc(n.Hidden, func(h Span) bool { return h.Contains(n.Span) })
}

// Hides reports whether a span of the node is hidden from searches.
func (n *Node) Hides(s Span) bool {
	i, _ := slices.BinarySearchFunc(n.Hidden, s.Start, func(h Span, at int) int { return cmp.Compare(h.End, at+1) })
	return i < len(n.Hidden) && n.Hidden[i].Contains(s)
}

// Node is one page within a document: the file, or an Org subtree with an ID.
// A node does not include the content of other nodes nested in it.
type Node struct {
	ID       string    // as written in the document (not validated) or derived from that, "" when it has none
	Title    string    // from metadata, else the first heading, which is an alias then, else the file name without extension
	Type     string    // "" when not given
	Status   string    // as written, "" when not given
	Summary  string    // one paragraph of plain text, "" when there is none
	Tags     []string  // without '#', in order, without duplicates: those of the metadata, then others
	Aliases  []string  // in order, without duplicates; includes the title only if it is the first heading
	Refs     []string  // other names, see link.RefKey: "@key" of a bibliography, an address of the web, "denote:ID", "id:ID", or "^UUID" of a block
	Created  time.Time // zero when not given or not a date
	Updated  time.Time
	Metadata []Property // every frontmatter key or drawer property, in order

	// Properties holds the values of Metadata, followed by the fields in the text. Those of
	// a task or of an outline's block are included, with their place.
	Properties []PropertyValue

	Span     Span // everything of the node
	Head     Span // frontmatter, or drawer and keywords; empty span when there is none
	Truth    Span // above the timeline's line
	Timeline Span // below the line, without the line itself; empty when there is none
	Heading  int  // Org: index into Headings of the node's own heading; -1 for the file

	InlineTags   []InlineTag // tags in the text, one per occurrence
	OuterTags    []OuterTag  // tags inherited from elsewhere in the file
	Hidden       []Span      // Org: text hidden from searches, disjoint and in order; see Shown
	Headings     []Heading
	Observations []Observation
	Relations    []Relation // explicit typed relations
	Links        []Link     // every other reference to a page, in text order
	Entries      []Entry    // timeline entries
	Tasks        []Task
}

// Property is one metadata key with its values as strings, normalised as
// specs/markdown-graph.md section 3.2 defines: dates are ISO 8601, booleans
// "True" or "False", null has no value. Nested YAML is kept as its source text
// in a single value with Opaque set, and decoded in Data: maps, lists and scalars.
type Property struct {
	Key    string
	Values []string
	List   bool
	Opaque bool
	Data   any
	Span   Span // the whole entry including its line end
}

// InlineTag is a tag in running text.
type InlineTag struct {
	Name string // without '#'
	Span Span   // with it, and with the brackets of "#[[two words]]"
}

// OuterTag is a tag that a node has from elsewhere: in Org from its file, from the headings
// above it, and from the headings in it that are not pages.
type OuterTag struct {
	Name string
	Span Span // of the tags at their source
}

// Heading is a section start. Its section reaches to the next heading of the
// same or a higher level within the node, or the node's end.
type Heading struct {
	Level   int
	Text    string   // plain text without markers and tags
	Written []string // the text as written in the file, if different from Text; in Org also with keyword and tags
	Path    string   // texts from the top joined with " > "
	Line    Span     // the heading line with its line end
	Section Span     // heading line and content, subsections included
	InTruth bool     // false below the line
}

// Observation is a fact: "- [category] text #tag (context)".
type Observation struct {
	Category string
	Text     string // without tags and context
	Tags     []string
	Context  string
	Span     Span // the whole list item's line with its line end
}

// Relation is a typed edge: "- type [[Target]] @from..until (context)".
type Relation struct {
	Type    string
	Target  Target
	Dated   bool   // an @-interval is written
	From    string // ISO date of any precision as written, "" when open
	Until   string // "" when open
	Context string
	Span    Span // the whole line with its line end
}

func (r Relation) interval() kb.Interval { return kb.Interval{From: r.From, Until: r.Until} }

// LinkKind is the syntax of a link.
type LinkKind string

// The kinds of link.
const (
	WikiLink LinkKind = "wikilink" // [[Target#heading^block|alias]]
	Embed    LinkKind = "embed"    // ![[Target]]
	MarkLink LinkKind = "markdown" // [text](relative/path.md#anchor)
	OrgID    LinkKind = "org-id"   // [[id:UUID][text]]
	OrgFile  LinkKind = "org-file" // [[file:path.org::anchor][text]]
	OrgCite  LinkKind = "org-cite" // [cite:@key], or [[denote:ID]]
	BlockRef LinkKind = "block"    // ((UUID)), of a block with a line "id:: UUID"
	Mention  LinkKind = "mention"  // @name or #topic, where these lead to pages
	SiteLink LinkKind = "site"     // {{< ref "page.md" >}} of Hugo, {% link page.md %} of Jekyll
)

// TagMarks are characters that a word in a list of tags can have only within brackets.
const TagMarks = ",[]{}#`\""

// Target is the target of a link or relation.
type Target struct {
	Kind    LinkKind
	Raw     string // target as written, without alias, heading and block, not decoded
	Name    string // what to resolve: decoded, trimmed; a path for MarkLink, OrgFile and SiteLink, an id for OrgID
	Heading string // after '#', "" when absent
	Block   string // after '^', "" when absent
	Text    string // alias or link text, "" when absent
	Local   bool   // Org: leads to a place that this document names with <<Name>>, and to no page
	Span    Span   // the whole link with its brackets; of a citation the key alone
	NameAt  Span   // the bytes of Raw, to be replaced when the target moves
}

// Link is a reference in running text. Its relation type is "links_to" unless
// an Org relation label precedes it.
type Link struct {
	Target
	Type string
}

// Entry is one dated entry of the timeline.
type Entry struct {
	Date   string // ISO date of any precision
	Source string // "meeting", "email", ...; "" when absent
	Text   string // first line without date and source
	Detail string // the rest of the item, "" when there is none
	Span   Span   // the whole item with its line ends
}

// KeyTwice is the code of the warning that a key of the metadata occurs twice.
const KeyTwice = "frontmatter-duplicate-key"

// Warning names something that was kept as opaque text. It holds no content.
type Warning struct {
	Code string // stable, for example "frontmatter-not-yaml"
	Text string // one sentence for people
	Line int    // 1-based
}
