package policy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/dates"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

// Policy holds all settings of a space for its pages.
type Policy struct {
	// ID and Name identify the space; in a policy stored in the memory they are
	// empty.
	ID   string `toml:"id,omitempty"`
	Name string `toml:"name,omitempty"`

	Preset string `toml:"preset,omitempty"` // its original preset; informational

	// Description is the subject of the space in one line.
	Description string `toml:"description,omitempty"`

	Format string `toml:"format"`           // format of new pages: markdown or org
	Type   string `toml:"type,omitempty"`   // default type of new pages
	Folder string `toml:"folder,omitempty"` // directory of new pages without a path
	Names  Naming `toml:"names,omitempty"`  // naming of the files of new pages without a path

	Syntax kb.Syntax `toml:"syntax,omitempty"` // dialect of notes, for differences between programs
	Days   string    `toml:"days,omitempty"`   // format of the names of daily pages in that syntax, in Java's notation

	Wing Filed `toml:"wing,omitempty"` // origin of the default wing of pages
	Room Filed `toml:"room,omitempty"` // origin of their default room

	Directories []Directory `toml:"directory,omitempty"`

	Skills string `toml:"skills,omitempty"` // directory of skills that the user registers, NAME/SKILL.md each

	TimeZone string     `toml:"time_zone,omitempty"` // for the start of days; the machine's when empty
	Day      Day        `toml:"day,omitempty"`
	Rotate   []Rotation `toml:"rotate,omitempty"`

	// GapThreshold is the confidence below which an answer counts as a miss and the
	// question is recorded as a gap; 0 records none.
	GapThreshold float64 `toml:"gap_threshold,omitempty"`
	// GapHashOnly stores only the hash of such a question, and no words.
	GapHashOnly bool `toml:"gap_hash_only,omitempty"`

	Permissions Permissions `toml:"permissions,omitempty"`
	Schemas     []Schema    `toml:"schema,omitempty"`
	Ownership   Ownership   `toml:"ownership,omitempty"`
	Stamps      []Stamp     `toml:"stamp,omitempty"`
	Timeline    Timeline    `toml:"timeline,omitempty"`
	Predicates  Predicates  `toml:"predicates,omitempty"`
	Lifecycle   Lifecycle   `toml:"lifecycle,omitempty"`
	Retention   Retention   `toml:"retention,omitempty"`
	Secrets     Secrets     `toml:"secrets,omitempty"`
	Lint        Lint        `toml:"lint,omitempty"`
	Inbox       Inbox       `toml:"inbox,omitempty"`
	Guard       Guard       `toml:"guard,omitempty"`
	Index       Index       `toml:"index,omitempty"`
	Sources     Sources     `toml:"sources,omitempty"`
	Curation    Curation    `toml:"curation,omitempty"`
	Inject      []Injection `toml:"inject,omitempty"`
	Aliases     []Alias     `toml:"alias,omitempty"`
	API         API         `toml:"api,omitempty"`
	Regions     []Region    `toml:"region,omitempty"`
	Revision    Revision    `toml:"revision,omitempty"`
	Routines    []Routine   `toml:"routine,omitempty"`
	Tables      []Table     `toml:"table,omitempty"`
	Journal     Journal     `toml:"journal,omitempty"`

	// Sessions selects the past sessions of agents that the space shows. It only
	// has an effect in a policy stored in the memory: a directory cannot request
	// them.
	Sessions Sessions `toml:"sessions,omitempty"`

	Capture Capture `toml:"capture,omitempty"`
	Compact Compact `toml:"compact,omitempty"`
	Brief   Brief   `toml:"brief,omitempty"`
	Search  Search  `toml:"search,omitempty"`

	// Waiting lists the parts of a directory's policy that nobody accepted; see Within.
	Waiting []kb.PolicyPart `toml:"-"`
	// CommitWaits means that the directory's policy enables commits to git, and
	// that this part is not accepted.
	CommitWaits bool `toml:"-"`
}

// Naming is how the file of a new page is named.
type Naming string

// Naming schemes. The default is BySlug.
const (
	BySlug  Naming = "slug"  // "the-slow-loom.md"
	ByTitle Naming = "title" // "The slow loom.md"
	ByTime  Naming = "time"  // "20260524093000-the-slow-loom.md"
)

// Filed is the origin of a page's wing or room.
type Filed string

// A wing can come from the name, the last part of the slug; a room from the
// heading, the first one of a section. Without an origin, only the page itself sets
// them.
const (
	FromName    Filed = "name"
	FromHeading Filed = "heading"
)

// Directory holds the defaults for the pages below a directory.
type Directory struct {
	Path     string            `toml:"path"`               // of the directory in the space
	Type     string            `toml:"type"`               // default type of pages there
	Metadata map[string]string `toml:"metadata,omitempty"` // added to new pages
}

// Filing returns the rules that derive properties of pages, and the aliases of
// pages. Of nested directories the innermost one applies.
func (p *Policy) Filing() kb.Filing {
	var f kb.Filing
	byDepth := slices.Clone(p.Directories)
	slices.SortStableFunc(byDepth, func(a, b Directory) int {
		return cmp.Or(cmp.Compare(len(b.Path), len(a.Path)), cmp.Compare(a.Path, b.Path))
	})
	for _, d := range byDepth {
		f = f.TypeIn(d.Path, d.Type)
	}
	if p.Wing == FromName {
		f = f.WithWings()
	}
	if p.Room == FromHeading {
		f = f.WithRooms()
	}
	for _, a := range p.Aliases {
		f = f.WithAlias(a.From, a.To)
	}
	return f
}

// NewPage returns the default type of a new page at a path, and its default
// metadata.
func (p *Policy) NewPage(path string) (kind string, metadata map[string]string) {
	kind, in := p.Type, 0
	for _, d := range p.Directories {
		if len(d.Path) > in && strings.HasPrefix(path, d.Path+"/") {
			kind, metadata, in = d.Type, d.Metadata, len(d.Path)
		}
	}
	return kind, metadata
}

// Permissions define which actors may do which operations. The first matching rule
// decides; without one, Default does.
type Permissions struct {
	Default Effect `toml:"default,omitempty"` // Allow when empty
	Rules   []Rule `toml:"rule,omitempty"`

	// Closed requires agents to change files of the directory through cairn:
	// setup denies them to the clients' own tools.
	Closed bool `toml:"closed,omitempty"`
}

// Effect is the decision of a rule.
type Effect string

// Effects.
const (
	Allow Effect = "allow"
	Deny  Effect = "deny"
)

// Rule matches a request if each of its non-empty fields does.
type Rule struct {
	Effect     Effect      `toml:"effect"`
	Actors     []string    `toml:"actors,omitempty"`     // globs over "human", "agent:claude-code", ...
	Operations []Operation `toml:"operations,omitempty"` // any when empty
	Paths      []string    `toml:"paths,omitempty"`      // globs over the page's path
	// When holds allowed values by metadata key, in lower case: the page
	// currently has one of each. A new page has none.
	When map[string][]string `toml:"when,omitempty"`
	// Sets holds values by lower-case metadata key: the change sets one of the
	// values of each key on a page that does not have it.
	Sets   map[string][]string `toml:"sets,omitempty"`
	Reason string              `toml:"reason,omitempty"` // shown with the refusal
}

// Operation is a kind of change to one page that permissions distinguish.
type Operation string

// Operations.
const (
	OpCreate Operation = "create" // the page does not exist yet
	OpWrite  Operation = "write"  // replaces the page's text
	OpAppend Operation = "append" // only adds text; also timeline entries
	OpEdit   Operation = "edit"   // any other change within the page
	// OpContest only adds text, and marks the page as contested. Rules about edits
	// apply to it, too, unless a preceding rule names it.
	OpContest Operation = "contest"
	OpMove    Operation = "move"
	OpDelete  Operation = "delete"
)

// Schema is the required content of pages of some types or paths.
type Schema struct {
	Types    []string            `toml:"types,omitempty"` // page types it applies to; any when empty
	Paths    []string            `toml:"paths,omitempty"` // globs it applies to; any when empty
	Required []string            `toml:"required,omitempty"`
	Values   map[string][]string `toml:"values,omitempty"`   // allowed values by key
	Patterns map[string]string   `toml:"patterns,omitempty"` // regular expressions by key, for the whole value
	Except   []string            `toml:"except,omitempty"`   // globs it does not apply to
	Kinds    map[string]string   `toml:"kinds,omitempty"`    // types of values by key: date, integer, ...
	Name     dates.Name          `toml:"name,omitempty"`     // of the file, with {date}, {week} or {month}
	Sections []string            `toml:"sections,omitempty"` // required headings
	Ordered  bool                `toml:"ordered,omitempty"`  // in this order
	Mode     Mode                `toml:"mode,omitempty"`     // effect of a violation
}

// Timeline controls changes to the dated entries of pages.
type Timeline struct {
	// AppendOnly protects entries: a write may add some, and only a human with
	// explicit consent, an undo or a restore may change or drop one.
	AppendOnly bool `toml:"append_only,omitempty"`
}

// Predicates define which relations contradict each other. Names are compared
// without case, "_", "-" and blanks.
type Predicates struct {
	Single    []string `toml:"single,omitempty"`    // have one object at a time
	Exclusive []string `toml:"exclusive,omitempty"` // have one subject at a time; "ceo_of" also covers "is CEO of"
	Many      []string `toml:"many,omitempty"`      // have any number of objects, and do not end by leaving
	Lasting   []string `toml:"lasting,omitempty"`   // hold until the subject leaves
	// Inverse maps predicates to their inverses: "ceo" of a company is "ceo_of" of
	// the person. A predicate that is its own inverse holds in both directions.
	Inverse map[string]string `toml:"inverse,omitempty"`
	// Keys are metadata keys with objects as values, each with its predicate.
	Keys map[string]string `toml:"keys,omitempty"`
}

// Secrets sets the secret scan.
type Secrets struct {
	Off   bool     `toml:"off,omitempty"`
	Allow []string `toml:"allow,omitempty"` // rules that are allowed in this space

	// Action is the handling of an agent's text with a credential: Refuse when
	// empty.
	Action SecretAction `toml:"action,omitempty"`

	Rules []secrets.Rule `toml:"rule,omitempty"` // additional rules for credentials
}

// SecretAction is the handling of a text with a credential.
type SecretAction string

// Actions.
const (
	Refuse SecretAction = "refuse"
	Redact SecretAction = "redact" // the credential is replaced by the name of its rule
)

// Written returns the syntax of the documents: the named syntax with the format of
// day names.
func (p *Policy) Written() kb.Syntax { return p.Syntax.WithDays(p.Days) }
