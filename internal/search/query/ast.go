package query

import "time"

// Node is one node of a query's tree: *Word, *Phrase, *And, *Or, *Not,
// *Filter or *All.
type Node interface {
	// String returns the node in the query language, canonically.
	String() string
	node()
}

// Word is a run of text without spaces, as typed. Analysis may find several terms in it
// (node.js is node and js); they must then be adjacent, in any inflection.
type Word struct {
	Text   string
	Prefix bool   // typed with a star at the end: its last term is a prefix
	Infix  bool   // typed between stars: it may be anywhere in a term
	Field  string // Title, Name, or empty for every field

	// Also are terms of the index that count as inflections of the word: terms with its stem
	// in another language, or compounds that contain it. Parse never sets it.
	Also []Variant
}

// Variant is a term that counts as a word, with a weight.
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

// And matches pages that match all of its nodes.
type And struct{ Nodes []Node }

// Or matches pages that match any of its nodes.
type Or struct{ Nodes []Node }

// Not matches every page that Node does not match.
type Not struct{ Node Node }

// All matches every page.
type All struct{}

// Key is the name of a filter.
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
	InTitle   Key = "intitle"   // text in the title
	Category  Key = "category"  // of an observation of the page
	Item      Key = "item"      // kind of result: see Kinds
	Wing      Key = "wing"      // its words, adjacent and in order
	Before    Key = "before"    // pages with a time before Time
	Where     Key = "where"     // a condition on a property, see ParseWhere
	After     Key = "after"     // pages with a time at or after Time
	file      Key = "file"      // text in the file name, as in Obsidian; converted to Path
	Regex     Key = "regex"     // the text of the page matches the regular expression Value, written /Value/
)

// The filters for words in one part of a page, as in Obsidian. Their value is itself a
// query; see Part.
const (
	Line     Key = "line"
	Block    Key = "block"   // consecutive lines without a blank one
	Section  Key = "section" // text from one heading to the next
	Task     Key = "task"    // a task, done or not; without words any task
	TaskTodo Key = "task-todo"
	TaskDone Key = "task-done"
)

// InText reports whether a filter is decided by the text of pages.
func (k Key) InText() bool { return k == Regex || k.ofPart() }

func (k Key) ofPart() bool {
	switch k {
	case Line, Block, Section, Task, TaskTodo, TaskDone:
		return true
	}
	return false
}

func (k Key) ofTask() bool { return k == Task || k == TaskTodo || k == TaskDone }

// The kinds of results. Without a filter Item they are pages.
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
	file  string    // value of file:, from which Value is made
}

// Query is the result of Parse.
type Query struct {
	// Root is the text to match; *All if there is none.
	Root Node

	// Filters must all hold, with one exception: of several positive filters on a
	// single-valued key (type, space, path, status, wing, permalink), and of intitle,
	// category and item, one must hold, since few or no pages could match two. Filters below
	// an OR or a parenthesised NOT cannot be separated from the text and stay in Root as
	// nodes.
	Filters []Filter

	// Ignored are stopwords in the language of the question, if it is not English.
	Ignored map[string]bool

	// Notes explain to the user how input was interpreted if that is not obvious, one
	// sentence each.
	Notes []string
}

func (*Word) node()   {}
func (*Phrase) node() {}
func (*And) node()    {}
func (*Or) node()     {}
func (*Not) node()    {}
func (*Filter) node() {}
func (*All) node()    {}
