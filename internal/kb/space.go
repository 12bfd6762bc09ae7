package kb

import "time"

// SpaceKind is where a space keeps its documents.
type SpaceKind string

// The kinds of space.
const (
	DirectorySpace SpaceKind = "directory" // files below Root
	DatabaseSpace  SpaceKind = "database"  // rows of the memory
	RemoteSpace    SpaceKind = "remote"    // files of another machine: a DirectorySpace there, only read here
)

// Space is a named collection of pages with a policy.
type Space struct {
	Row    int64
	ID     ID
	Name   string
	Kind   SpaceKind
	Root   string // absolute directory, "" for a database space
	Host   string // machine that has the directory, "" where the memory is on one machine
	There  string // directory of a RemoteSpace on Host
	Origin ID     // id from the directory's policy file; "" when it had none
	Policy []byte // policy text (TOML) when it is kept in the memory; nil when Root's .cairn/space.toml holds it
	// Accepted is the policy that a person accepted for the directory, nil for none: its
	// parts that act do so only as far as they are in it. A policy in the memory needs none.
	Accepted []byte
	Created  time.Time // when it was added to this memory
	Synced   time.Time // end of the last complete sync, zero when never
	// Forgotten is when a person took it out of the memory; zero for a space in use.
	Forgotten time.Time

	// Derivation is the number of the rules by which all rows of the space were
	// derived; see package index.
	Derivation int
	// Syntax is the one in which the documents are read, by the policy; of a space
	// as it is kept, the one in which all rows were derived.
	Syntax Syntax
	// Filing is that of the policy; of a space as it is kept, the one by which all
	// rows were derived.
	Filing Filing
}

// Written returns the id that the space's directory brought, which several
// directories may; see Origin. Spaces from before that was kept have it as
// their own.
func (s Space) Written() ID {
	if s.Origin != "" {
		return s.Origin
	}
	return s.ID
}

// PolicyPart is a part of a space's policy by which cairn acts without being asked each
// time, or which loosens what binds agents. In a policy that came with a directory it
// does nothing until a person accepted it.
type PolicyPart struct {
	Name string `json:"part"` // table or key of the policy, such as guard
	Does string `json:"does"` // what it would do
}

// The parts that are no part of the policy itself: files beside it that act.
const (
	GitPart       = "git"       // programs and remotes of the git repository
	TemplatesPart = "templates" // of new pages
	PrimePart     = "PRIME.md"  // text at the beginning of sessions
)
