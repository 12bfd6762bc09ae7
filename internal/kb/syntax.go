package kb

import (
	"slices"
	"strings"
)

// Syntax names how the notes of a space are written where programs differ. The
// empty one is Obsidian's, of which other programs have the most. What each means
// is data of package doc. How days are called may stand behind the name, see
// WithDays.
type Syntax string

// Syntaxes are those that have a name, in the order in which people are told of
// them.
func Syntaxes() []Syntax { return []Syntax{"dendron", "logseq"} }

// IsKnown reports whether the syntax is one of Syntaxes, or none.
func (s Syntax) IsKnown() bool { return s == "" || slices.Contains(Syntaxes(), s) }

// WithDays returns a syntax in which the page of a day is called as a format of
// Java's says, "" for as usual. It is no name of Syntaxes any more.
func (s Syntax) WithDays(format string) Syntax {
	if s == "" || format == "" {
		return s
	}
	return s + " " + Syntax(format)
}

// Parts returns the name of a syntax and the format that it was given by WithDays.
func (s Syntax) Parts() (name Syntax, days string) {
	before, days, _ := strings.Cut(string(s), " ")
	return Syntax(before), days
}
