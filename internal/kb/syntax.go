package kb

import "slices"

// Syntax names how the Markdown of a space is written where programs differ. The
// empty one is Obsidian's, of which other programs have the most. What each means
// is data of package doc.
type Syntax string

// Syntaxes are those that have a name, in the order in which people are told of
// them.
func Syntaxes() []Syntax { return []Syntax{"dendron", "logseq"} }

// IsKnown reports whether the syntax is one of Syntaxes, or none.
func (s Syntax) IsKnown() bool { return s == "" || slices.Contains(Syntaxes(), s) }
