package kb

import "time"

// SpaceKind is the kind of a space's storage.
type SpaceKind string

// Kinds of space.
const (
	DirectorySpace SpaceKind = "directory" // files below Root
	DatabaseSpace  SpaceKind = "database"  // rows of the memory
	RemoteSpace    SpaceKind = "remote"    // files of another machine: a DirectorySpace there, read-only here
)

// Space is a named collection of pages with a policy.
type Space struct {
	Row    int64
	ID     ID
	Name   string
	Kind   SpaceKind
	Root   string // absolute directory, "" for a database space
	Host   string // machine with the directory, "" when the memory is on one machine
	There  string // directory of a RemoteSpace on Host
	Origin ID     // id from the directory's policy file; "" when it had none
	Policy []byte // policy text (TOML) stored in the memory; nil when it is in .cairn/space.toml below Root
	// Accepted is the policy that a person accepted for the directory, nil for
	// none. Active parts of the policy only take effect as far as they are in it. A
	// policy in the memory needs no acceptance.
	Accepted []byte
	Created  time.Time // when it was added to this memory
	Synced   time.Time // end of the last complete sync, zero when never
	// Forgotten is when a person removed it from the memory; zero for a space in
	// use.
	Forgotten time.Time

	// Derivation is the version of the rules by which all rows of the space were
	// derived; see package index.
	Derivation int
	// Syntax is the syntax of the documents set by the policy. In a stored space it
	// is the one with which all rows were derived.
	Syntax Syntax
	// Filing is the policy's. In a stored space it is the one with which all rows
	// were derived.
	Filing Filing
}

// Written returns the id in the space's directory, which several directories may
// share; see Origin. Spaces created before Origin existed use their own id.
func (s Space) Written() ID {
	if s.Origin != "" {
		return s.Origin
	}
	return s.ID
}

// PolicyPart is a part of a space's policy that makes cairn act automatically, or
// that loosens restrictions of agents. In a policy that came with a directory it
// has no effect until a person accepts it.
type PolicyPart struct {
	Name string `json:"part"` // table or key of the policy, such as guard
	Does string `json:"does"` // its effect
}

// Parts outside of the policy itself: files next to it with effects.
const (
	GitPart       = "git"       // programs and remotes of the git repository
	TemplatesPart = "templates" // of new pages
	PrimePart     = "PRIME.md"  // text at the beginning of sessions
)
