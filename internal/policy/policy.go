package policy

import (
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

// Policy is everything a space decides about its pages.
type Policy struct {
	// ID and Name identify the space; in a policy that is kept in the memory
	// they are empty.
	ID   string `toml:"id,omitempty"`
	Name string `toml:"name,omitempty"`

	Preset string `toml:"preset,omitempty"` // what it was made from; for people only
	Format string `toml:"format"`           // format of new pages: markdown or org
	Type   string `toml:"type,omitempty"`   // type of new pages that do not say
	Folder string `toml:"folder,omitempty"` // where new pages without a path go
	Names  Naming `toml:"names,omitempty"`  // how the files of new pages without a path are called

	Syntax kb.Syntax `toml:"syntax,omitempty"` // how notes are written where programs differ
	Days   string    `toml:"days,omitempty"`   // how a day's page is called in that syntax, as Java writes formats

	Permissions Permissions `toml:"permissions,omitempty"`
	Schemas     []Schema    `toml:"schema,omitempty"`
	Timeline    Timeline    `toml:"timeline,omitempty"`
	Retention   Retention   `toml:"retention,omitempty"`
	Secrets     Secrets     `toml:"secrets,omitempty"`
	Guard       Guard       `toml:"guard,omitempty"`
	Inject      []Injection `toml:"inject,omitempty"`
}

// Naming is how the file of a new page is called after its title.
type Naming string

// The ways to name files. Without one it is BySlug.
const (
	BySlug  Naming = "slug"  // "the-slow-loom.md"
	ByTitle Naming = "title" // "The slow loom.md"
)

// Permissions says who may do what. The first rule that fits decides;
// without one, Default does.
type Permissions struct {
	Default Effect `toml:"default,omitempty"` // Allow when empty
	Rules   []Rule `toml:"rule,omitempty"`
}

// Effect is a rule's answer.
type Effect string

// The effects.
const (
	Allow Effect = "allow"
	Deny  Effect = "deny"
)

// Rule fits a request when each of its non-empty fields does.
type Rule struct {
	Effect     Effect      `toml:"effect"`
	Actors     []string    `toml:"actors,omitempty"`     // globs over "human", "agent:claude-code", ...
	Operations []Operation `toml:"operations,omitempty"` // any when empty
	Paths      []string    `toml:"paths,omitempty"`      // globs over the page's path
	Reason     string      `toml:"reason,omitempty"`     // told to whoever is refused
}

// Operation is what a change does to one page, as far as permissions tell
// changes apart.
type Operation string

// The operations.
const (
	OpCreate Operation = "create" // the page does not exist yet
	OpWrite  Operation = "write"  // replaces the page's text
	OpAppend Operation = "append" // only adds text; also timeline entries
	OpEdit   Operation = "edit"   // any other change within the page
	OpMove   Operation = "move"
	OpDelete Operation = "delete"
)

// Schema is what pages of some types or places must hold.
type Schema struct {
	Types    []string            `toml:"types,omitempty"` // page types it applies to; any when empty
	Paths    []string            `toml:"paths,omitempty"` // globs it applies to; any when empty
	Required []string            `toml:"required,omitempty"`
	Values   map[string][]string `toml:"values,omitempty"`   // allowed values by key
	Sections []string            `toml:"sections,omitempty"` // headings that must be there
}

// Timeline says what may become of the dated entries of pages.
type Timeline struct {
	// AppendOnly keeps entries as they are: a write may add some, and only a human
	// who says so, an undo or a restore alters or drops one.
	AppendOnly bool `toml:"append_only,omitempty"`
}

// Secrets sets the secret scan.
type Secrets struct {
	Off   bool     `toml:"off,omitempty"`
	Allow []string `toml:"allow,omitempty"` // rules that may stand in this space

	Rules []secrets.Rule `toml:"rule,omitempty"` // what else is a credential here
}

// Guard says how changes are kept in git.
type Guard struct {
	Commit bool     `toml:"commit,omitempty"` // commit every write
	Push   bool     `toml:"push,omitempty"`   // push in the background
	Index  []string `toml:"index,omitempty"`  // generated index files
}

// Injection is a page that is always given to an agent at session start.
type Injection struct {
	Path      string `toml:"path"`
	MaxTokens int    `toml:"max_tokens,omitempty"`
}

// Written is the syntax in which the documents are read: the one of its name, with
// how days are called.
func (p *Policy) Written() kb.Syntax { return p.Syntax.WithDays(p.Days) }
