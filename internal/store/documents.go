package store

import (
	"context"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Document is everything the index derives from one document.
type Document struct {
	Row     int64 // 0 for a new one
	Space   int64
	ID      kb.ID // id of the document's own page
	Path    string
	Format  string // doc.Format
	Hash    kb.Hash
	Size    int64
	ModTime time.Time // of the file; of the last write in a database space
	Side    kb.Sidecar
	Indexed time.Time // when it was read
	Version int       // of the newest kb.Version
	// Recorded is the time of that version; zero if it is unknown.
	Recorded time.Time
	Pages    []PageRecord
}

// PageRecord is one page of a document with its facts. The store fills in Page.Row, Space,
// SpaceID, Path, Version, Hash, Side and Size from the document, and the Row fields of the
// facts.
type PageRecord struct {
	Page         kb.Page
	TruthSum     int64    // hash of the truth's text, to detect changes
	TimelineSum  int64    // hash of the timeline's text, 0 without a timeline
	Declared     kb.ID    // id written in the document, "" when it has none
	Names        []string // lookup keys of the page; see link.Names
	Refs         []string // subjects of the page; stored only as keys in Names, so not read back
	Links        []kb.Link
	Observations []kb.Observation
	Entries      []kb.Entry
	Properties   []kb.Property
	Items        []kb.Item
	Endings      []kb.Ending
	Assertions   []kb.Assertion // of the document's sidecar; its own page has them
	Warnings     []Warning
}

// Warning is something in a document that was kept as opaque text.
type Warning struct {
	Page int64
	Code string
	Text string
	Line int
}

// FileState is the stored state of a file, which is compared with the directory.
type FileState struct {
	Row      int64
	ID       kb.ID
	Path     string
	Hash     kb.Hash
	Size     int64
	ModTime  time.Time
	Side     kb.Sidecar
	Indexed  time.Time
	Declared bool // the document contains its id
}

// Documents holds one row per document with the rows derived from it.
type Documents interface {
	// Put inserts documents (Row 0) or replaces those with their Row, with their pages and
	// facts, and sets Row and Pages[i].Page.Row. Pages that stay (with the same node) keep
	// their rows, so that links to them stay valid. It removes the links of replaced
	// documents; Links.Put inserts the new ones. Documents of one call may exchange paths
	// and ids. kb.Conflict if a path or an id is taken within the space, kb.NotFound for an
	// unknown Row.
	Put(ctx context.Context, docs []*Document) error
	// Remove deletes documents with all rows derived from them; links to their
	// pages become unresolved. Unknown rows are ignored.
	Remove(ctx context.Context, rows []int64) error
	// States returns the state of every document of a space, by path.
	States(ctx context.Context, space int64) ([]FileState, error)
	// FileSums returns the sums over the files and sidecars of a space's documents, and the
	// states of documents without a sum, by path: if a file may have changed just after it
	// was indexed, its size and time prove nothing.
	FileSums(ctx context.Context, space int64) (sums kb.FileSums, without []FileState, err error)
	// Unlike returns the states of documents without a sum or with a sum that is not among
	// sums (which ascend), and the sums without a document. If these are few, it is faster
	// than States.
	Unlike(ctx context.Context, space int64, sums []int64) (states []FileState, unknown []int64, err error)
	// ByPath returns the document without its Pages; kb.NotFound.
	ByPath(ctx context.Context, space int64, path string) (*Document, error)
	// ByRow is ByPath for a known row.
	ByRow(ctx context.Context, row int64) (*Document, error)
	// Twins returns, for each path that has one, the path of a document in the space that
	// some system would treat as the same file, or as a file in the same directory, although
	// the spelling differs (see kb.FoldPath). A directory that has documents under exactly
	// this spelling has no twin. The documents with rows in except are ignored.
	Twins(ctx context.Context, space int64, paths []string, except map[int64]bool) (map[string]string, error)
	// Load returns the document with all its Pages and facts; kb.NotFound.
	Load(ctx context.Context, row int64) (*Document, error)
	// Records returns the pages of documents, without their facts, by the rows of the
	// documents; kb.NotFound if one does not exist.
	Records(ctx context.Context, rows []int64) (map[int64][]PageRecord, error)
	// Ahead reads the data of stored documents that Put will read; see Foresee.
	Ahead(ctx context.Context, rows []int64) error
	// Touch records that a file with unchanged bytes has another size or modification time,
	// or its sidecar another time, or that they were checked again; kb.NotFound. Pages that
	// took their update time from the file get the new time.
	Touch(ctx context.Context, row int64, size int64, modTime, sideTime, indexed time.Time) error
}

// Filter selects pages. Empty fields select all; values within a field are alternatives,
// fields are combined with AND. Text is compared ignoring case, except for paths.
//
// A page matches a period by its Day, in the calendar of After and Before, or by Updated if
// the document has such a date itself. A page without a Day also matches by the time at
// which its document was recorded.
type Filter struct {
	Spaces   []int64 // Space.Row
	Types    []string
	Tags     []string // any of them or of their nested tags (a/b is nested in a); with or without '#'; see AllTags
	AllTags  []string
	Statuses []kb.Status // statuses of the page; unknown ones match its property status
	Paths    []string    // patterns of package glob, or prefixes ending in "/"; in any Unicode spelling
	Titles   []string    // substrings
	// Permalinks are exact permalinks, or patterns in which * matches any characters,
	// including slashes, and ? a single one.
	Permalinks []string
	Categories []string  // of observations of the page; ASCII letters in any case
	Wings      []string  // wings that contain these words adjacent and in order
	Where      []Where   // all of them
	After      time.Time // of a time in [After, Before)
	Before     time.Time
	// UpdatedSince selects pages updated at this time or later, regardless of
	// their Day.
	UpdatedSince time.Time
	// BeyondASCII selects all pages with characters beyond ASCII in slug,
	// title, aliases or tags, and possibly a few others.
	BeyondASCII bool
	// Orphans selects pages without links from other pages.
	Orphans bool
	Not     *Filter // excludes pages that match any single field of it; After and Before count as one
}

// Order sorts lists of pages.
type Order string

// The orders.
const (
	BySlug    Order = "slug"
	ByTitle   Order = "title"
	ByUpdated Order = "updated" // newest first
	ByCreated Order = "created" // newest first; pages without a date last
)

// Pages reads pages. All lists have a stable order: ties are ordered by slug, then Row.
type Pages interface {
	// Get returns pages in the order of rows; unknown rows are left out.
	Get(ctx context.Context, rows []int64) ([]kb.Page, error)
	// Places returns only Row, Space, Slug and Updated of pages, ordered by Space and Slug;
	// unknown rows are left out.
	Places(ctx context.Context, rows []int64) ([]kb.Page, error)
	// Newest returns the n pages that were updated last, the latest first; ties are ordered
	// by reference. Unknown rows are left out.
	Newest(ctx context.Context, rows []int64, n int) ([]kb.Page, error)
	// Briefs returns Row, ID, Title, Type, Status, Summary and Updated of the own pages of a
	// space's documents, ordered by row.
	Briefs(ctx context.Context, space int64) ([]kb.Page, error)
	// Named returns Row, Title and Aliases of the pages that match a filter, ordered by row.
	Named(ctx context.Context, f Filter) ([]kb.Page, error)
	// NamedState returns a text that differs when the answer of Named does.
	NamedState(ctx context.Context, f Filter) (string, error)
	// ByID returns the pages with this id, at most one per space.
	ByID(ctx context.Context, id kb.ID) ([]kb.Page, error)
	// ByIDPrefix returns at most limit pages with an id that starts with these digits.
	ByIDPrefix(ctx context.Context, digits string, limit int) ([]kb.Page, error)
	// Telling returns for each id the minimum number of leading digits that distinguish it
	// from other pages' ids; one more than all digits if several pages have the id.
	Telling(ctx context.Context, ids []kb.ID) (map[kb.ID]int, error)
	// ByIDs returns the rows of the pages with an id that passes a test,
	// ascending.
	ByIDs(ctx context.Context, pass func(kb.ID) bool) ([]int64, error)
	// ByPath returns the pages of a document, its own page first.
	ByPath(ctx context.Context, space int64, path string) ([]kb.Page, error)
	// ByNames returns, for each key, the pages with that name; space 0 means all spaces.
	ByNames(ctx context.Context, space int64, keys []string) (map[string][]kb.Page, error)
	// List returns the matching pages, and their total number.
	List(ctx context.Context, f Filter, by Order, limit, offset int) (pages []kb.Page, total int, err error)
	// Rows returns the rows of all matching pages, ascending.
	Rows(ctx context.Context, f Filter) ([]int64, error)
	// Tags counts the tags of the matching pages, most frequent first. Spellings that differ
	// in case are counted together and shown in the most frequent one.
	Tags(ctx context.Context, f Filter) ([]Count, error)
	// Statuses counts the pages of the spaces by status, most frequent first; an empty
	// spaces means all.
	Statuses(ctx context.Context, spaces []int64) ([]Count, error)
	// Stats counts the contents of the spaces; an empty spaces means all.
	Stats(ctx context.Context, spaces []int64) (Stats, error)
	// Warnings returns the warnings of the documents of a space.
	Warnings(ctx context.Context, space int64) ([]Warning, error)
	// Observations and Entries return a page's facts ordered by position.
	Observations(ctx context.Context, page int64) ([]kb.Observation, error)
	Entries(ctx context.Context, page int64) ([]kb.Entry, error)
	// Properties returns the values of a page's properties ordered by position.
	Properties(ctx context.Context, page int64) ([]kb.Property, error)
	// Declared returns the pages of a space that declare one of these ids, whether the page
	// itself or another page has it.
	Declared(ctx context.Context, space int64, ids []kb.ID) ([]Declaration, error)
	// Shared returns the ids that several pages of a space declare, in order.
	Shared(ctx context.Context, space int64) ([]kb.ID, error)
	// Holders returns the rows of the pages of a space that have these ids; unused ids are
	// left out.
	Holders(ctx context.Context, space int64, ids []kb.ID) (map[kb.ID]int64, error)
	// SetID changes the id of a page, also in its history and in the gaps that it answers;
	// kb.Conflict if another page of the space has the id.
	SetID(ctx context.Context, page int64, id kb.ID) error
}

// PagesByRow returns pages by row; rows may repeat, and unknown ones are left out.
func PagesByRow(ctx context.Context, tx Tx, rows []int64) (map[int64]kb.Page, error) {
	rows = slices.Clone(rows)
	slices.Sort(rows)
	pages, err := tx.Pages().Get(ctx, slices.Compact(rows))
	out := make(map[int64]kb.Page, len(pages))
	for _, p := range pages {
		out[p.Row] = p
	}
	return out, err
}

// Declaration is a page with the id that its document declares.
type Declaration struct {
	Page     kb.Page
	Declared kb.ID
}

// Count is a value with the number of its uses.
type Count struct {
	Value string
	N     int
}

// Stats are counts of the contents.
type Stats struct {
	LinkCounts
	Documents, Pages, Observations, Entries, Tags int
	Assertions                                    int     // ended or not
	Chunks                                        []Count // vectors, by model
	Bytes                                         int64   // of the documents
	Types, Statuses                               []Count
}
