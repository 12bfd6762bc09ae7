package doc

// Key is a key in a block of keys.
type Key struct {
	Name  string
	At    Span // the name as written, if the format needs it
	Value Span // without the blanks around it; empty if there is none
	Span  Span // removed with the key: whole lines, or a member of a JSON object
	More  bool // adds to the value of the previous key of this name
}

// Keys is a block of keys: frontmatter, the fields of an outline page, the metadata of an
// Org node, an object of a sidecar. Its edits keep all bytes of other keys. The format
// defines how names and values are written.
type Keys struct {
	Text []byte
	EOL  string
	Gap  string // between a colon and a value, if there was none
	All  []Key
}

// Named returns the keys of a name in their order.
func (k Keys) Named(name string) (found []Key) {
	for _, key := range k.All {
		if key.Name == name {
			found = append(found, key)
		}
	}
	return found
}

// Set replaces the value of the first of several keys of one name, and removes those that
// add to it.
func (k Keys) Set(named []Key, value string) []Splice {
	at := named[0].Value
	if k.Text[at.Start-1] == ':' {
		value = k.Gap + value
	}
	splices := []Splice{{Span: at, New: value}}
	for _, key := range named[1:] {
		if key.More {
			splices = append(splices, Splice{Span: key.Span})
		}
	}
	return splices
}

// Remove removes every key of a name.
func (k Keys) Remove(name string) (splices []Splice) {
	for _, key := range k.Named(name) {
		splices = append(splices, Splice{Span: key.Span})
	}
	return splices
}

// Insert puts lines at the start of a line, or after a last line without a line end.
func (k Keys) Insert(at int, lines string) Splice {
	lines = WithEOL(lines, k.EOL)
	if at > 0 && k.Text[at-1] != '\n' {
		return Splice{Span: Span{at, at}, New: k.EOL + lines}
	}
	return Splice{Span: Span{at, at}, New: lines + k.EOL}
}
