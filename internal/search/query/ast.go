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
// terms in it (node.js is node and js); they must then be adjacent, in any
// inflection.
type Word struct {
	Text   string
	Prefix bool   // typed with a star at the end: its last term is a prefix
	Infix  bool   // typed between stars: it may be anywhere in a term
	Field  string // Title, Name, or empty for every field

	// Also are terms of the index that count as inflections of the word: those with its
	// stem in another language, or compounds that hold it. No query has them as typed.
	Also []Variant
}

// Variant is a term that counts as a word, up to a weight.
type Variant struct {
	Term   string
	Weight float32 // from 0 to 1
}

// Phrase is quoted text: its words must be adjacent and exact, except for case
// and accents.
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

// The filters. Before and After have a time in Filter.Time; Path has a glob
// when IsGlob is set, and the path of a document or directory otherwise.
const (
	Type      Key = "type"
	Tag       Key = "tag"
	Space     Key = "space"
	Path      Key = "path"
	Status    Key = "status"
	Permalink Key = "permalink" // of the page; * matches any characters
	InTitle   Key = "intitle"   // the text somewhere in the title
	Category  Key = "category"  // of an observation of the page
	Item      Key = "item"      // the kind of result: see Kinds
	Wing      Key = "wing"      // the words of it, in order and side by side
	Before    Key = "before"    // pages with a time before Time
	Where     Key = "where"     // a condition on a property, see ParseWhere
	After     Key = "after"     // pages with a time at or after Time
	file      Key = "file"      // text in the name of the file, as Obsidian has it: read as Path
	Regex     Key = "regex"     // the text of the page matches the regular expression Value, written /Value/
)

// The filters that ask for words in one part of a page, as Obsidian has them. Their value is
// a query by itself; see Part.
const (
	Line     Key = "line"
	Block    Key = "block"   // lines without a blank one between them
	Section  Key = "section" // text from one heading to the next
	Task     Key = "task"    // a task, done or not; without words any
	TaskTodo Key = "task-todo"
	TaskDone Key = "task-done"
)

// InText reports whether a filter is one that the text of pages decides.
func (k Key) InText() bool { return k == Regex || k.ofPart() }

func (k Key) ofPart() bool {
	switch k {
	case Line, Block, Section, Task, TaskTodo, TaskDone:
		return true
	}
	return false
}

func (k Key) ofTask() bool { return k == Task || k == TaskTodo || k == TaskDone }

// The kinds of things that a query finds. Without a filter Item it is pages.
const (
	Entity      = "entity" // a page
	Observation = "observation"
	Relation    = "relation"
)

// Kinds are the possible values of the filter Item.
var Kinds = []string{Entity, Observation, Relation}

// Filter is a condition on a page's metadata, which the store decides.
type Filter struct {
	Key   Key
	Value string    // as typed, without quotes
	Time  time.Time // of Before and After
	Not   bool      // typed with a minus: the condition must not hold
	Never bool      // one filter too many: no page matches it, regardless of Not
	file  string    // of file:, which Value is made from
}

// Query is what Parse understood.
type Query struct {
	// Root is the text to match: *All when there is none.
	Root Node

	// Filters must all hold, with one exception: of several positive filters on
	// a single-valued key (type, space, path, status, wing, permalink), and of
	// intitle, category and item, one must hold, since few or no pages could
	// match two. Filters below an OR or a parenthesised NOT cannot be separated
	// from the text and stay in Root as nodes.
	Filters []Filter

	// Ignored are words without content in the language of the question, if it is another
	// than English.
	Ignored map[string]bool

	// Notes explain to the person how input was interpreted when that is not
	// obvious, one sentence each.
	Notes []string
}

func (*Word) node()   {}
func (*Phrase) node() {}
func (*And) node()    {}
func (*Or) node()     {}
func (*Not) node()    {}
func (*Filter) node() {}
func (*All) node()    {}
