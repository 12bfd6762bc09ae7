package doc

import "github.com/cairn-kb/cairn/internal/kb"

// Edit is one abstract change of a document. Codecs turn it into splices. The
// set is closed: the types below are all there are.
type Edit interface{ edit() }

// The metadata edits. Setting an existing key changes its value's bytes only; a
// new key is added after the others. Setting a scalar replaces a whole list,
// and the other way round.
type (
	// SetProperty sets a frontmatter key or drawer property to a scalar. A Typed value
	// has the type of the value that is there, else the one that it looks like: true,
	// null, a number or a time is none of them as a text. A Written value is one line
	// of YAML or JSON, such as {a: [1, 2]}.
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
	// SetTitle sets the title where the document keeps it: the metadata key,
	// and the first level-1 heading when it had the same text.
	SetTitle struct{ Title string }
	// AddTag adds a tag to the metadata tags; one that the page has in any case of its
	// letters is kept.
	AddTag struct{ Tag string }
	// RemoveTag removes a metadata tag; kb.NotFound when it is not there, and
	// kb.Refused when the tag is in the text as well, which names the line.
	RemoveTag struct{ Tag string }
	// RenameTag renames a tag in the metadata and in the text, and those below it: of a
	// the tag a/b. A page without the tag stays as it is.
	RenameTag struct{ Old, New string }
)

// The edits of facts.
type (
	// AddRelation adds a relation line to the section "Relations", which is
	// made at the end of the truth when missing. An equal current relation is
	// kb.Conflict.
	AddRelation struct{ Type, Target, From, Until, Context string }
	// CloseRelation sets the end of the interval of the one current relation
	// that matches; the error is kb.NotFound or kb.Ambiguous otherwise. A Line
	// other than 0 selects the one at that line.
	CloseRelation struct {
		Type, Target, Until string
		Line                int
	}
	// SetInterval sets the interval of the relation that begins in a line; the
	// error is kb.Conflict when the line differs from Was.
	SetInterval struct {
		Type, Target string
		Line         int
		Was, Is      kb.Interval
	}
	// RemoveRelation removes the relation lines that match. An empty Type
	// matches every type. Where Line is not 0 it is only the one that begins there.
	RemoveRelation struct {
		Type, Target string
		Line         int
	}
	// AddObservation adds to the section "Observations", made when missing; an equal
	// observation is kept.
	AddObservation struct {
		Category, Text string
		Tags           []string
		Context        string
	}
	// RemoveObservation removes the one observation with this category and
	// text.
	RemoveObservation struct{ Category, Text string }
	// AddEntry adds a timeline entry, newest first. The line is made when
	// missing. An entry with the same date, source and text is kb.Conflict.
	AddEntry struct{ Date, Source, Text, Detail string }
)

// The edits of text. Section names a heading by its text or by its path ("State
// > Now"), or as "^id" the block with that id; "" is the whole truth. The error
// is kb.NotFound when there is no such heading or block, kb.Ambiguous when
// there are several headings.
type (
	// Append adds text at the end of the section, or of the truth.
	Append struct{ Section, Text string }
	// Prepend adds text after the section's heading line, or at the start of
	// the body (after metadata).
	Prepend struct{ Section, Text string }
	// ReplaceSection replaces the text under a heading, including subsections
	// unless they are kept; the heading line is kept, even if the new text
	// begins with it. A block keeps its id.
	ReplaceSection struct {
		Section, Text   string
		KeepSubsections bool
	}
	// InsertBefore adds text before a section's heading line.
	InsertBefore struct{ Section, Text string }
	// InsertAfter adds text after the whole section.
	InsertAfter struct{ Section, Text string }
	// Replace replaces every occurrence of Old in the section, its heading
	// included, or in the page, by New; when the number of occurrences is not
	// Expect, kb.Conflict with details "expected" and "found". Expect 0 means
	// exactly 1.
	Replace struct {
		Section, Old, New string
		Expect            int
	}
	// SetTruth replaces everything between the metadata and the line.
	SetTruth struct{ Text string }
	// Retarget changes the target of links: every link or relation with its
	// target at a given span gets new target bytes.
	Retarget struct{ Links []RetargetOne }
)

// RetargetParts changes the headings and blocks that links name: the bytes at each At, see
// Document.RenamedPart, become Raw.
type RetargetParts struct{ Links []RetargetOne }

// RetargetOne is one link to change: the bytes at At (a Target.NameAt of the
// same document text) become Raw, which the caller has already encoded for
// that kind of link. Where a link in double brackets shows its name, it shows Text
// from then on, if there is one.
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
