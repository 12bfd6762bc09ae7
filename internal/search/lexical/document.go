package lexical

import (
	"iter"
	"strings"
)

// Field is a part of a document with its own weight.
type Field uint8

// The fields. Their numbers are part of the stored format: never renumber.
const (
	Title Field = iota
	Slug
	Aliases
	Tags
	Summary
	Headings
	Truth
	Timeline
	Markup // link destinations, addresses and comments: text that is not part of the page's words

	fieldCount = 9
)

// onlyMarkup is the set of fields that a reader does not see.
const onlyMarkup = FieldSet(1 << Markup)

var fieldNames = [fieldCount]string{"title", "slug", "aliases", "tags", "summary", "headings", "truth", "timeline", "markup"}

// String returns the field's name, as used in field:word and in answers.
func (f Field) String() string { return fieldNames[f] }

// FieldSet is a set of fields.
type FieldSet uint16

// Has reports whether f is in the set.
func (s FieldSet) Has(f Field) bool { return s&(1<<f) != 0 }

// Names returns the fields' names in the order of their numbers.
func (s FieldSet) Names() []string {
	names := make([]string, 0, fieldCount)
	for f := range Field(fieldCount) {
		if s.Has(f) {
			names = append(names, f.String())
		}
	}
	return names
}

// String returns the names separated by commas.
func (s FieldSet) String() string { return strings.Join(s.Names(), ",") }

// Text is one value of a field. A field may have several values: no phrase
// matches across two of them.
type Text struct {
	Field Field
	Value string
}

// Document is the indexed content of a page.
type Document struct {
	ID    int64 // the caller's row id, at least 0
	Texts []Text
	Long  []LongText // after Texts
}

// LongText is one value of a field that is not in memory as a whole. Its parts are read when
// the document is put into a batch. All but the last end with a blank or a line feed.
type LongText struct {
	Field Field
	Parts iter.Seq[string]
}
