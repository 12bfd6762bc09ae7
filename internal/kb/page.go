package kb

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// ID is a UUID in its canonical lower-case form.
type ID string

// ShortPrefix starts a short id such as "cn-7f3a".
const ShortPrefix = "cn-"

// Short returns the short id with n hexadecimal digits of the UUID.
func (id ID) Short(n int) string {
	digits := strings.ReplaceAll(string(id), "-", "")
	return ShortPrefix + digits[:min(n, len(digits))]
}

// ParseID returns s as an ID when it is a UUID in any common form.
func ParseID(s string) (ID, bool) {
	u, err := uuid.Parse(strings.TrimSpace(s))
	if err != nil {
		return "", false
	}
	return ID(u.String()), true
}

// DerivedID returns the id of the page at path in a space, for documents without an
// id: a version 5 UUID of the path under the space's id. The same path has the same
// id on every machine. attempt is 0, and is incremented when a page that moved away
// still has the id of its old path.
func DerivedID(space ID, path, node string, attempt int) ID {
	name := path
	if node != "" {
		name += "\x00" + node
	}
	for range attempt {
		name += "\x00"
	}
	ns, err := uuid.Parse(string(space))
	if err != nil {
		ns = uuid.NameSpaceURL
	}
	return ID(uuid.NewSHA1(ns, []byte(name)).String())
}

// namedIDs is the namespace for ids derived from other ids: a random UUID that
// must never change.
var namedIDs = uuid.MustParse("f2f0a9f1-7f0e-4c0e-8b0e-3a9d5b1c6e27")

// NamedID returns the id of a page with an id in its document that is not a
// UUID. It is derived from that id, so that the page keeps it when it moves.
func NamedID(id string) ID {
	return ID(uuid.NewHash(sha256.New(), namedIDs, []byte(id), 8).String())
}

// IsDerived reports whether an id may come from DerivedID: it is a UUID of version
// 5.
func (id ID) IsDerived() bool { return len(id) == 36 && id[14] == '5' }

// Hash is the SHA-256 of a document's bytes.
type Hash [32]byte

// String returns the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// IsZero reports whether the hash is unset.
func (h Hash) IsZero() bool { return h == Hash{} }

// Sidecar is the sidecar of a document, zero without one. Document and sidecar
// are versioned together.
type Sidecar struct {
	Hash    Hash
	Size    int64
	ModTime time.Time // of the file; of the last write in a database space; not stored for versions
}

// MaxSidecar is the maximum size of a sidecar in bytes; larger files are
// ignored.
const MaxSidecar = 8 << 20

// Exists reports whether the document has a sidecar.
func (s Sidecar) Exists() bool { return !s.Hash.IsZero() }

// Status is the stage of a page's life.
type Status string

// Statuses. A page without one is Active.
const (
	Active     Status = "active"
	Stale      Status = "stale"
	Compacted  Status = "compacted"
	Contested  Status = "contested"
	Superseded Status = "superseded"
)

// Statuses lists every status, in display order.
var Statuses = []Status{Active, Stale, Compacted, Contested, Superseded}

// Holding returns the statuses of pages with current knowledge.
func Holding() []Status { return []Status{Active, Contested} }

// Holds reports whether a page with a status has current knowledge.
func Holds(s Status) bool { return slices.Contains(Holding(), s) }

// ParseStatus reads a status in any spelling that people use; "current" is a
// synonym of active in specs.
func ParseStatus(s string) (Status, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if s == "" || s == "current" {
		return Active, true
	}
	for _, known := range Statuses {
		if s == string(known) {
			return known, true
		}
	}
	return "", false
}

// IsActive reports whether a status is active, as a status of cairn or as written
// in a document.
func IsActive(s Status) bool {
	known, ok := ParseStatus(string(s))
	return ok && known == Active
}

// PinnedTag marks a pinned page: every session starts with its text.
const PinnedTag = "pinned"

// Page is one unit of knowledge as the index knows it: a whole document, or
// an Org subtree with an id of its own.
type Page struct {
	Row     int64  // the store's number; not kept across rebuilds
	ID      ID     // unique within the space
	Space   string // name of the space
	SpaceID ID
	Syntax  Syntax // syntax of the document, the space's when it was derived
	Path    string // slash-separated file path within the space, with extension
	Node    string // id of the Org heading, "" for the document itself
	Slug    string // Path without extension; for a node with "#" and its id
	Title   string
	// Permalink is its name in URIs: the one set on the page, else derived from the
	// slug.
	Permalink string
	Type      string // from the page, else from the space's Filing
	Wing      string // the larger subject of the page, from the page or the Filing; "" for none
	Room      string // the aspect of the wing, likewise
	Status    Status
	Summary   string
	Tags      []string
	Aliases   []string
	Version   int // counts the document's versions from 1
	Hash      Hash
	Side      Hash      // of the sidecar, zero without one
	Size      int64     // bytes of the document
	Line      int       // 1-based line at which the node starts
	Day       string    // YYYY-MM-DD of the page, from its text or its path; "" for none
	Created   time.Time // from the document, zero without a date
	Updated   time.Time // from the document, else the file's modification time

	// The last changes of the truth and the timeline; see package index.
	// TimelineUpdated is zero without a timeline.
	TruthUpdated, TimelineUpdated time.Time
	// AsOf is the newest date for which the truth claims to hold, an ISO date of
	// any precision; "" without one.
	AsOf string
}

// Ref returns "space:slug", which names the page from anywhere.
func (p Page) Ref() string { return p.Space + ":" + p.Slug }

// Headed reports whether the page has no title of its own, but uses its first
// heading, which is an alias then.
func (p Page) Headed() bool { return slices.Contains(p.Aliases, p.Title) }
