package query

import "time"

// Node is one node of a query's tree: *Word, *Phrase, *And, *Or, *Not,
// *Filter or *All.
type Node interface {
	// String returns the node in the query language, canonically.
	String() string
	node()
}

// Word is one run of text without spaces, as typed. Analysis may find several
// terms in it (node.js is node and js); they must then stand next to each
// other, in any inflection.
type Word struct {
	Text   string
	Prefix bool   // typed with a star at the end: its last term is a prefix
	Field  string // Title, Name, or empty for every field
}

// Phrase is quoted text: its words must stand next to each other exactly as
// they are, but for case and accents.
type Phrase struct {
	Text  string
	Field string // as in Word
}

// And matches what all of its nodes match.
type And struct{ Nodes []Node }

// Or matches what any of its nodes matches.
type Or struct{ Nodes []Node }

// Not matches every page that Node does not match.
type Not struct{ Node Node }

// All matches every page.
type All struct{}

// Key names a filter.
type Key string

// The filters. Before and After carry an instant in Filter.Time; Path carries
// a glob when IsGlob says so, and the path of a document or directory otherwise.
const (
	Type      Key = "type"
	Tag       Key = "tag"
	Space     Key = "space"
	Path      Key = "path"
	Status    Key = "status"
	Permalink Key = "permalink" // of the page; * stands for any characters
	InTitle   Key = "intitle"   // the text somewhere in the title
	Category  Key = "category"  // of an observation of the page
	Item      Key = "item"      // what is found: see Kinds
	Wing      Key = "wing"      // the words of it, in order and side by side
	Before    Key = "before"    // pages whose time is earlier than Time
	Where     Key = "where"     // a condition on a property, see ParseWhere
	After     Key = "after"     // pages whose time is at or later than Time
)

// The kinds of things that a query finds. Without a filter Item it is pages.
const (
	Entity      = "entity" // a page
	Observation = "observation"
	Relation    = "relation"
)

// Kinds are those that a filter Item may have.
var Kinds = []string{Entity, Observation, Relation}

// Filter is a condition on a page's metadata, which the store decides.
type Filter struct {
	Key   Key
	Value string    // as typed, without quotes
	Time  time.Time // of Before and After
	Not   bool      // typed with a minus: the condition must not hold
	Never bool      // one filter too many: no page meets it, whatever Not says
}

// Query is what Parse understood.
type Query struct {
	// Root is the text to match: *All when there is none.
	Root Node

	// Filters must all hold, with one exception: of the positive filters of
	// one key that takes one value (type, space, path, status, wing, permalink),
	// and of intitle, category and item, one must hold, since few pages or none
	// could meet two. Filters below an OR or a parenthesised NOT cannot be
	// separated from the text and stay in Root as nodes.
	Filters []Filter

	// Notes tell the person how input was read when it was not read as it
	// looks, one sentence each.
	Notes []string
}

func (*Word) node()   {}
func (*Phrase) node() {}
func (*And) node()    {}
func (*Or) node()     {}
func (*Not) node()    {}
func (*Filter) node() {}
func (*All) node()    {}
