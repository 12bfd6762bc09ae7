package analysis

// How is the way in which a slot matches terms.
type How uint8

const (
	Exactly    How = iota // the term itself
	Inflected             // every term with the same stem
	Beginning             // every term that starts with it
	Containing            // every term that contains it
)

// Slot is a place in a pattern that a term must fill.
type Slot struct {
	Term   string
	How    How
	Offset int // distance from the first slot, in positions
}

// Pattern returns the terms that must be adjacent in a document to match text. each is the
// way in which terms match, last that of the last term. A single character of a script
// without spaces is always a prefix. The pattern of a text without terms is empty.
func (a *Analyzer) Pattern(text string, each, last How) []Slot {
	var slots []Slot
	first := 0
	a.Query(text, func(t Token) {
		if len(slots) == 0 {
			first = t.Pos
		}
		s := Slot{string(t.Term), each, t.Pos - first}
		if t.Single {
			s.How = Beginning
		}
		slots = append(slots, s)
	})
	if n := len(slots); n > 0 && slots[n-1].How != Beginning {
		slots[n-1].How = last
	}
	return slots
}
