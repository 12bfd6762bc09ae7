package doc

import "github.com/cairn-kb/cairn/internal/kb"

// Edit is one abstract change of a document. Codecs convert it to splices. The set of edits
// is closed: it consists of the types below.
type Edit interface{ edit() }

// The metadata edits. Setting an existing key changes only the bytes of its value; a new key
// is added after the others. Setting a scalar replaces a whole list, and vice versa.
type (
	// SetProperty sets a frontmatter key or drawer property to a scalar. A Typed value gets
	// the type of the existing value, or else the type that it looks like; otherwise true,
	// null, a number or a time is written as text. A Written value is one line of YAML or
	// JSON, such as {a: [1, 2]}.
	SetProperty struct {
		Key, Value     string
		Typed, Written bool
	}
	// SetList sets a frontmatter key or drawer property to a list.
	SetList struct {
		Key    string
		Values []string
	}
	// RemoveProperty removes a key; absent keys are not an error.
	RemoveProperty struct{ Key string }
	// SetTitle sets the title where the document has it: the metadata key, and the first
	// level-1 heading if it had the same text.
	SetTitle struct{ Title string }
	// AddTag adds a tag to the metadata tags, unless the page has it in any letter case.
	AddTag struct{ Tag string }
	// RemoveTag removes a metadata tag; kb.NotFound if it does not exist, and kb.Refused
	// with the line if the tag is also in the text.
	RemoveTag struct{ Tag string }
	// RenameTag renames a tag in the metadata and in the text, together with its nested
	// tags: a/b is nested in a. A page without the tag stays unchanged.
	RenameTag struct{ Old, New string }
)

// The edits of facts.
type (
	// AddRelation adds a relation line to the section "Relations", which is created at the
	// end of the truth if it is missing. An equal current relation is kb.Conflict.
	AddRelation struct{ Type, Target, From, Until, Context string }
	// CloseRelation sets the end of the interval of the one current relation
	// that matches; the error is kb.NotFound or kb.Ambiguous otherwise. A Line
	// other than 0 selects the one at that line.
	CloseRelation struct {
		Type, Target, Until string
		Line                int
	}
	// SetInterval sets the interval of the relation at a line; the error is kb.Conflict if
	// the line differs from Was.
	SetInterval struct {
		Type, Target string
		Line         int
		Was, Is      kb.Interval
	}
	// RemoveRelation removes the matching relation lines. An empty Type matches every type.
	// A Line other than 0 selects the one at that line.
	RemoveRelation struct {
		Type, Target string
		Line         int
	}
	// AddObservation adds to the section "Observations", which is created if it is missing;
	// an equal observation is kept.
	AddObservation struct {
		Category, Text string
		Tags           []string
		Context        string
	}
	// RemoveObservation removes the one observation with this category and
	// text.
	RemoveObservation struct{ Category, Text string }
	// AddEntry adds a timeline entry, newest first. The timeline's line is created if it is
	// missing. An entry with the same date, source and text is kb.Conflict.
	AddEntry struct{ Date, Source, Text, Detail string }
)

// The edits of text. Section names a heading by its text or by its path ("State > Now"), or
// a block as "^id"; "" is the whole truth. The error is kb.NotFound if no such heading or
// block exists, kb.Ambiguous if there are several headings.
type (
	// Append adds text at the end of the section, or of the truth.
	Append struct{ Section, Text string }
	// Prepend adds text after the section's heading line, or at the start of
	// the body (after metadata).
	Prepend struct{ Section, Text string }
	// ReplaceSection replaces the text under a heading, including subsections unless they
	// are kept. The heading line stays, even if the new text starts with it. A block keeps
	// its id.
	ReplaceSection struct {
		Section, Text   string
		KeepSubsections bool
	}
	// InsertBefore adds text before a section's heading line.
	InsertBefore struct{ Section, Text string }
	// InsertAfter adds text after the whole section.
	InsertAfter struct{ Section, Text string }
	// Replace replaces every occurrence of Old by New, in the section including its heading,
	// or in the page. If the number of occurrences is not Expect, it is kb.Conflict with
	// details "expected" and "found". Expect 0 means exactly 1.
	Replace struct {
		Section, Old, New string
		Expect            int
	}
	// SetTruth replaces everything between the metadata and the timeline's line.
	SetTruth struct{ Text string }
	// Retarget changes the targets of links: every link or relation with its target at a
	// given span gets new target bytes.
	Retarget struct{ Links []RetargetOne }
)

// RetargetParts changes the headings and blocks that links name: the bytes at each At, see
// Document.RenamedPart, become Raw.
type RetargetParts struct{ Links []RetargetOne }

// RetargetOne is one link to change: the bytes at At (a Target.NameAt of the same document
// text) become Raw, which the caller has already encoded for that kind of link. If a link in
// double brackets displays its name, it displays Text afterwards, if set.
type RetargetOne struct {
	At   Span
	Raw  string
	Text string
}

func (SetProperty) edit()       {}
func (SetList) edit()           {}
func (RemoveProperty) edit()    {}
func (SetTitle) edit()          {}
func (AddTag) edit()            {}
func (RemoveTag) edit()         {}
func (RenameTag) edit()         {}
func (AddRelation) edit()       {}
func (CloseRelation) edit()     {}
func (SetInterval) edit()       {}
func (RemoveRelation) edit()    {}
func (AddObservation) edit()    {}
func (RemoveObservation) edit() {}
func (AddEntry) edit()          {}
func (Append) edit()            {}
func (Prepend) edit()           {}
func (ReplaceSection) edit()    {}
func (InsertBefore) edit()      {}
func (InsertAfter) edit()       {}
func (Replace) edit()           {}
func (SetTruth) edit()          {}
func (Retarget) edit()          {}
func (RetargetParts) edit()     {}
