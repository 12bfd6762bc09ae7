package api

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Mode is the kind of a search: by keywords, by embeddings, or both.
type Mode string

// Modes.
const (
	ModeWords  Mode = "fts"    // full text
	ModeVector Mode = "vector" // semantic similarity
	ModeHybrid Mode = "hybrid" // both
	ModeExact  Mode = "exact"  // titles, slugs and aliases alone

	ModeTitle     Mode = "title"     // words of titles
	ModePermalink Mode = "permalink" // a permalink, or a pattern of some

	// Aliases of ModeWords and ModeVector.
	ModeText     Mode = "text"
	ModeSemantic Mode = "semantic"
)

// List is a page of a longer list.
type List[T any] struct {
	Items []T    `json:"items"`
	Total int    `json:"total"`
	Next  string `json:"next,omitempty"` // offset of the next page, "" at the end
}

// Part returns the list within an answer that embeds one.
func (l List[T]) Part() List[T] { return l }

// Part selects a part of a list, in one of two spellings.
type Part struct {
	Limit    int `json:"limit,omitempty" jsonschema:"default 10"`
	Offset   int `json:"offset,omitempty"`
	Page     int `json:"page,omitempty" jsonschema:"in place of offset, from 1"`
	PageSize int `json:"page_size,omitempty" jsonschema:"in place of limit"`
}

// Range returns the part as a limit, usual by default, and an offset. It fails if
// both spellings are used for one of them.
func (p Part) Range(usual int) (limit, offset int, err error) {
	switch {
	case p.Page > 0 && p.Offset > 0:
		return 0, 0, kb.Errorf(kb.Usage, "page and offset exclude each other").With("argument", "page")
	case p.PageSize > 0 && p.Limit > 0:
		return 0, 0, kb.Errorf(kb.Usage, "page_size and limit exclude each other").With("argument", "page_size")
	}
	limit, offset = cmp.Or(p.Limit, p.PageSize, usual), p.Offset
	if p.Page > 1 {
		offset = (p.Page - 1) * limit
	}
	return limit, offset, nil
}

// Page holds the properties of a page that all answers share.
type Page struct {
	ID        kb.ID      `json:"id"`
	Short     string     `json:"short"` // "cn-7f3a", unique in the memory when it was derived
	Ref       string     `json:"ref"`   // "space:slug"
	Space     string     `json:"space"`
	Slug      string     `json:"slug"`
	Permalink string     `json:"-"` // for clients that name pages by permalink
	Title     string     `json:"title"`
	Type      string     `json:"type,omitempty"`
	Wing      string     `json:"wing,omitempty"` // the wing that the page belongs to
	Room      string     `json:"room,omitempty"` // aspect of the wing
	Status    kb.Status  `json:"status"`         // the page's status; an unknown one counts as active
	Version   int        `json:"version"`
	Path      string     `json:"path"`
	File      string     `json:"file,omitempty"` // absolute path of the file, "" in a database space
	Summary   string     `json:"summary,omitempty"`
	Tags      []string   `json:"tags,omitempty"`
	Aliases   []string   `json:"aliases,omitempty"`
	Bytes     int64      `json:"bytes"`
	Date      string     `json:"date,omitempty"` // day of the page, from its text or its path; "" for none
	CreatedAt *time.Time `json:"created_at,omitempty"`
	UpdatedAt time.Time  `json:"updated_at"`

	// For pages that were found or read: whether they have a counted contradiction,
	// and whether their truth is much older than their timeline.
	Contested bool `json:"contested,omitempty"`
	Stale     bool `json:"stale,omitempty"`
	// Ended lists the lines in the shown text with an ended relation.
	Ended []int `json:"ended_lines,omitempty"`
}

// EndedIn returns the lines of Ended that are within one of the ranges.
func (p Page) EndedIn(shown ...[2]int) (out []int) {
	for _, line := range p.Ended {
		if slices.ContainsFunc(shown, func(r [2]int) bool { return r[0] <= line && line <= r[1] }) {
			out = append(out, line)
		}
	}
	return out
}

// WriteOptions are the options of every operation that changes pages.
type WriteOptions struct {
	Expected     *int     `json:"expected_version,omitempty" jsonschema:"version you read; 0: must be new"` // nil: no check
	Message      string   `json:"message,omitempty" jsonschema:"why"`                                       // for the history
	DryRun       bool     `json:"dry_run,omitempty" jsonschema:"only return the diff"`                      // change nothing
	Diff         bool     `json:"diff,omitempty"`                                                           // answer with the diff
	AllowSecrets []string `json:"-"`                                                                        // rules of the secret scan to skip

	// RewriteTimeline allows a human to alter and drop timeline entries that the
	// space protects.
	RewriteTimeline bool `json:"-"`
}

// Dry reports whether nothing may be changed.
func (w WriteOptions) Dry() bool { return w.DryRun }

// Written is the answer of every operation that changes pages.
type Written struct {
	Write    int64         `json:"write,omitempty"` // number of the write, 0 when nothing changed
	DryRun   bool          `json:"dry_run,omitempty"`
	Pages    []WrittenPage `json:"pages"`
	Skipped  []Skipped     `json:"skipped,omitempty"`  // unchanged pages
	ID       int64         `json:"id,omitempty"`       // of the assertion that was written
	Relation int64         `json:"relation,omitempty"` // the id of the relation that was added
	Pointers []string      `json:"pointers,omitempty"` // other files with pointers that were repointed

	// Certain contradictions of the pages by id, one line each, in spaces with
	// rules for them in their policy.
	Opened map[string]string `json:"opened,omitempty"` // new ones
	Closed map[string]string `json:"closed,omitempty"` // resolved by the write
}

// WrittenPage is one page after a write.
type WrittenPage struct {
	Page
	Change   kb.ChangeKind `json:"change"` // "created", "changed", "moved", "deleted"; "" when unchanged
	From     string        `json:"from,omitempty"`
	Diff     string        `json:"diff,omitempty"` // unified, on request; "" when nothing changed
	Warnings []Warning     `json:"warnings,omitempty"`
	Notes    []string      `json:"notes,omitempty"` // side effects of the write, such as a kept id or dropped content
}

// Skipped is an omitted item, with the reason.
type Skipped struct {
	Path   string   `json:"path"`
	Reason string   `json:"reason"`
	Lines  [][2]int `json:"lines,omitempty"` // of the current page, from and to: overlapping changes

	Elsewhere bool `json:"-"` // no page is omitted: its text is on another path
}

// Warning is something in a document that was kept as opaque text.
type Warning struct {
	Path string `json:"path,omitempty"`
	Code string `json:"code"`
	Text string `json:"text"`
	Line int    `json:"line,omitempty"`
}

// Space describes a space in answers.
type Space struct {
	ID        kb.ID        `json:"id"`
	Name      string       `json:"name"`
	Kind      kb.SpaceKind `json:"kind"`
	Root      string       `json:"root,omitempty"`
	Machine   string       `json:"host,omitempty"` // machine with the directory, if several share the memory
	Preset    string       `json:"preset,omitempty"`
	Default   bool         `json:"default"`
	Pages     *int         `json:"pages,omitempty"` // nil when the directory was never synced
	PolicyIn  string       `json:"policy_in"`       // path of .cairn/space.toml, or "memory"
	Policy    string       `json:"policy,omitempty"`
	Defaults  []string     `json:"defaults,omitempty"` // inherited from the configuration, as "lifecycle.stale_after = 60"
	CreatedAt time.Time    `json:"created_at"`
	SyncedAt  *time.Time   `json:"synced_at,omitempty"`

	Description string `json:"description,omitempty"` // its subject in one line

	Watch    *Watch   `json:"watch,omitempty"`    // how a long-lived process detects changes; nil for other processes, and before the first question
	Places   []Place  `json:"places,omitempty"`   // directories with the same id in their space.toml, if there are several
	Made     []string `json:"made,omitempty"`     // when added: missing pages of its preset that were created, or would be
	Notes    []string `json:"notes,omitempty"`    // when added: that it is a second place, or has moved; when removed: the handling of files generated by cairn
	Warnings []string `json:"warnings,omitempty"` // when added: disks without the required guarantees, a policy without a secret scan

	ForgottenAt *time.Time `json:"forgotten_at,omitempty"` // of a forgotten space
	KeptUntil   *time.Time `json:"kept_until,omitempty"`   // until when it can be restored
	Returned    bool       `json:"returned,omitempty"`     // when added or restored: it was forgotten

	Acts []kb.PolicyPart `json:"acts,omitempty"` // parts of the policy that make cairn act automatically

	// Waiting lists the parts of its directory's policy without effect until a
	// person accepts them.
	Waiting []kb.PolicyPart `json:"waiting,omitempty"`

	// Accept accepts them. It is nil if there are none, and unless the space was
	// added.
	Accept func(ctx context.Context) error `json:"-"`
}

// LaidOut is a page of a preset that is missing in a space or outdated.
type LaidOut struct {
	Path  string `json:"path"`
	State string `json:"state"`          // missing: created; replaced: it was unchanged and is updated; changed: only shown
	Diff  string `json:"diff,omitempty"` // to the newer text
}

// Watch describes how changes by other programs in a directory are detected.
type Watch struct {
	Watched     bool   `json:"watched"` // the system reports changes; otherwise the directory is listed before each answer
	Directories int    `json:"directories,omitempty"`
	Reason      string `json:"reason,omitempty"` // reason for not watching

	Activity *Activity `json:"activity,omitempty"`
}

// Activity counts the changes by other programs that a long-running process has
// read.
type Activity struct {
	Since  time.Time   `json:"since"`
	Errors int         `json:"errors"` // syncs that failed, and files that could not be read
	Files  int         `json:"files"`  // added, changed, moved or deleted files
	Events []FileEvent `json:"events"` // the last of them, newest first
}

// FileEvent is one event of a file.
type FileEvent struct {
	At     time.Time `json:"at"`
	Change string    `json:"change"` // added, changed, moved, deleted; failed
	Space  string    `json:"space,omitempty"`
	Path   string    `json:"path,omitempty"` // "" for a failure of the whole directory
	From   string    `json:"from,omitempty"`
}

// Serving describes the server that keeps a memory up to date, from its last
// status record.
type Serving struct {
	Running bool `json:"running"`
	Activity
}

// Place is a directory with the id of a space, and its space in this memory.
type Place struct {
	Space   string `json:"space"`
	Root    string `json:"root"`
	Machine string `json:"host,omitempty"` // as in Space
}

// Mapping gives working directories that match a glob to a space.
type Mapping struct {
	Glob        string `json:"glob"`
	Space       string `json:"space"`
	Description string `json:"description,omitempty"` // of the space
}

// SyncReport is the result of a sync of one space, or its preview with a dry
// run.
type SyncReport struct {
	Space     string     `json:"space"`
	DryRun    bool       `json:"dry_run,omitempty"`
	Added     []string   `json:"added"`
	Changed   []string   `json:"changed"`
	Moved     []Moved    `json:"moved"`
	Deleted   []string   `json:"deleted"`
	Unchanged int        `json:"unchanged"`
	Skipped   []Skipped  `json:"skipped,omitempty"`    // they look like notes, and were not read
	Failed    []Skipped  `json:"failed,omitempty"`     // unreadable
	LeftOut   []Skipped  `json:"left_out,omitempty"`   // failed three times, skipped until they change
	Sidecars  []Skipped  `json:"sidecars,omitempty"`   // ignored: without a document, too large, not JSON
	Twins     []Twin     `json:"twins,omitempty"`      // paths that differ only in case
	SharedIDs []SharedID `json:"shared_ids,omitempty"` // ids that occur in several documents
	Commit    *GitCommit `json:"commit,omitempty"`     // of settled changes by other programs in a guarded space
	Warnings  int        `json:"warnings"`             // documents with parts kept as opaque text
	Millis    int64      `json:"took_ms"`
}

// SyncCounts are the numbers of a sync that ran before a query.
type SyncCounts struct {
	Space     string `json:"space"`
	Added     int    `json:"added"`
	Changed   int    `json:"changed"`
	Moved     int    `json:"moved"`
	Deleted   int    `json:"deleted"`
	Unchanged int    `json:"unchanged"`
	Skipped   int    `json:"skipped,omitempty"`
	Failed    int    `json:"failed,omitempty"`
	LeftOut   int    `json:"left_out,omitempty"`
	Warnings  int    `json:"warnings"`
	Millis    int64  `json:"took_ms"`
}

// Counts returns the report in numbers.
func (r SyncReport) Counts() SyncCounts {
	return SyncCounts{
		Space: r.Space, Added: len(r.Added), Changed: len(r.Changed), Moved: len(r.Moved), Deleted: len(r.Deleted),
		Unchanged: r.Unchanged, Skipped: len(r.Skipped), Failed: len(r.Failed), LeftOut: len(r.LeftOut),
		Warnings: r.Warnings, Millis: r.Millis,
	}
}

// Changes counts the changed documents.
func (r SyncReport) Changes() int {
	return len(r.Added) + len(r.Changed) + len(r.Moved) + len(r.Deleted)
}

// Twin is a pair of files or directories that have the same name on systems
// that ignore case and Unicode normal form, such as macOS and Windows.
type Twin struct {
	Path  string `json:"path"`
	Other string `json:"other"`
}

// SharedID is an id that occurs in several documents of a space.
type SharedID struct {
	ID     kb.ID    `json:"id"`
	Has    string   `json:"has"`    // path of the page with the id
	Others []string `json:"others"` // other paths with the id
	Text   string   `json:"text"`   // description for people
}

// Moved is a document found at another path.
type Moved struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Text is a page with its text.
type Text struct {
	Page
	Lines    [2]int    `json:"lines"` // 1-based, of Text within the document
	Text     string    `json:"text"`  // UTF-8
	Part     string    `json:"-"`     // the section or "^block" in Text, "" for others
	Headings []Heading `json:"-"`     // within Text, in order
	Bytes    []byte    `json:"-"`     // the document as stored, if all of it was requested
	Side     kb.Hash   `json:"-"`     // of the sidecar; zero without one
	Syntax   kb.Syntax `json:"-"`     // syntax of the document
	IsPart   bool      `json:"-"`     // Text is the part of a large document that was asked for
	IsCut    bool      `json:"-"`     // Text is the beginning of a line that is larger than a part
	Before   int       `json:"-"`     // first line of the part before it; 0 for none
	After    int       `json:"-"`     // the same, after it
	Warnings []Warning `json:"warnings,omitempty"`

	// Last changes of the truth and the timeline; nil for a page at an earlier
	// time, and for a missing timeline.
	TruthUpdatedAt    *time.Time `json:"truth_updated_at,omitempty"`
	TimelineUpdatedAt *time.Time `json:"timeline_updated_at,omitempty"`
}

// Heading is a heading of a page.
type Heading struct {
	Text  string
	Level int // 1 is the highest
	Line  int // 1-based, within the document
}

// Hit is a search result.
type Hit struct {
	Page
	Score   float64  `json:"score"`
	Lines   [2]int   `json:"lines"` // 1-based: of the first match, and the last of the snippet
	Snippet string   `json:"snippet"`
	Marks   [][2]int `json:"marks"` // byte ranges of the snippet that matched

	Permalink string `json:"permalink,omitempty"`
	Gist      string `json:"-"` // one line about the page: its summary or its first sentence
	Why       Why    `json:"why"`

	SupersededBy  string `json:"superseded_by,omitempty"`  // ref of the page that replaces it, and precedes it
	CompactedInto string `json:"compacted_into,omitempty"` // ref of the summary of a compacted page

	Item *Item `json:"item,omitempty"` // the line found, if the result is not the page

	Said *Said `json:"said,omitempty"` // of a past session: time and speaker of the passage
}

// Said is a turn of a past session.
type Said struct {
	Turn   int        `json:"turn"`
	By     string     `json:"by"` // user, assistant or summary
	At     *time.Time `json:"at,omitempty"`
	Resume string     `json:"resume,omitempty"` // command line that resumes the session
}

// Item is a line of a page found individually: an observation or a relation.
type Item struct {
	Kind        string   `json:"kind"` // observation, relation
	Category    string   `json:"category,omitempty"`
	Content     string   `json:"content"` // for a relation the name of its target, as written
	Tags        []string `json:"tags,omitempty"`
	Context     string   `json:"context,omitempty"`
	Relation    string   `json:"relation_type,omitempty"`
	ToPermalink string   `json:"to_permalink,omitempty"` // "" if unresolved
	Of          string   `json:"of"`                     // permalink of the page with the line
}

// Why explains why a page was found.
type Why struct {
	Fields []string `json:"fields,omitempty"` // fields in which words matched
	Terms  []string `json:"terms,omitempty"`  // words of the query that matched
	Exact  string   `json:"exact,omitempty"`  // "title", "slug", "alias" or "id" for an exact match
	Chunk  [2]int   `json:"chunk,omitzero"`   // lines of the most similar passage

	// With Explain.
	Words   *Evidence  `json:"words,omitempty"`
	Near    *Near      `json:"near,omitempty"` // words that are close together
	Meaning *Evidence  `json:"meaning,omitempty"`
	Names   *NameMatch `json:"names,omitempty"`   // names in the question that the page has
	Type    *TypeMatch `json:"type,omitempty"`    // requested in the question
	Time    *DateMatch `json:"time,omitempty"`    // time in the question near the page's date
	Beside  *Borrowed  `json:"beside,omitempty"`  // from the page before or after it in a series
	Whole   *Borrowed  `json:"whole,omitempty"`   // from the best part of the same whole
	Passage *Passage   `json:"passage,omitempty"` // most similar, else the one with matching words
}

// Evidence is a page's place in one list of candidates.
type Evidence struct {
	Rank  int     `json:"rank"`            // counted from 1
	Score float64 `json:"score"`           // in that list
	Share float64 `json:"share,omitempty"` // its part of the hit's score in a hybrid search
}

// Near lists words that are adjacent in a question, and close together in a page.
type Near struct {
	Words []string `json:"words"` // in pairs
	Score float64  `json:"score"` // their part of the score of Words
}

// NameMatch lists names in a question that occur in the title, the slug or an
// alias of a page.
type NameMatch struct {
	Names []string `json:"names"`
	Share float64  `json:"share"` // as in Evidence
}

// TypeMatch is a page's type, if the question asks for pages of this type.
type TypeMatch struct {
	Type  string  `json:"type"`
	Share float64 `json:"share"` // as in Evidence
}

// DateMatch is the date of a page near a time in the question.
type DateMatch struct {
	Day   string  `json:"day"`   // RFC 3339 date
	Share float64 `json:"share"` // as in Evidence
}

// Borrowed is the contribution of another page's score to a hit.
type Borrowed struct {
	Ref   string  `json:"ref"`
	Score float64 `json:"score"` // of the other page
	Share float64 `json:"share"` // as in Evidence
}

// Passage is a part of a page, as split for embedding.
type Passage struct {
	Heading string `json:"heading,omitempty"` // path of the headings above it
	Lines   [2]int `json:"lines"`
	Date    string `json:"date,omitempty"` // ISO 8601 of any precision
}

// TimeRead is a time in a question, and its interpretation.
type TimeRead struct {
	Text string `json:"text"` // as in the question, in lower case
	Read string `json:"read"` // such as "until 2023-09-30"
}

// Fit is the evidence that an answer fits its question: see rank.Fit.
type Fit struct {
	Coverage   float64 `json:"coverage"`
	WordsAhead float64 `json:"words_ahead"`
	Similarity float64 `json:"similarity,omitempty"`
	NearAhead  float64 `json:"near_ahead,omitempty"`
	Subject    bool    `json:"subject,omitempty"`
	Statement  float64 `json:"statement,omitempty"`
}

// SearchResult is a page of hits.
type SearchResult struct {
	List[Hit]
	AtLeast      bool          `json:"total_at_least,omitempty"` // there may be more pages than total: counting stopped
	Query        string        `json:"query"`                    // as interpreted
	Match        string        `json:"match,omitempty"`          // how well the best pages match: strong, weak, none; "" when the query has only filters
	Confidence   *float64      `json:"confidence,omitempty"`     // probability from 0 to 1 that the memory can answer the question; match is derived from it
	Fit          *Fit          `json:"fit,omitempty"`            // with Explain: the inputs of that probability
	Times        []TimeRead    `json:"times,omitempty"`          // with Explain: the times in the question
	Relaxed      bool          `json:"relaxed,omitempty"`        // few pages had all words, so some words suffice
	AllWords     int           `json:"all_words,omitempty"`      // then: number of pages with all words, which come first
	Notes        []string      `json:"notes,omitempty"`          // unclear parts of the query, missing embeddings, and remedies
	Spaces       []string      `json:"spaces"`                   // spaces searched
	Mode         Mode          `json:"mode"`                     // mode of the search
	SearchMode   Mode          `json:"search_mode,omitempty"`    // the same, if it is not the requested mode: vectors could not be used
	AsOf         *time.Time    `json:"as_of,omitempty"`          // set when the search was limited to what was known at that time
	Left         int           `json:"unembedded,omitempty"`     // pages without embeddings
	Unsynced     int           `json:"unsynced,omitempty"`       // changed files that could not be read
	Completeness *Completeness `json:"completeness,omitempty"`   // of an exhaustive search
	Synced       *SyncCounts   `json:"synced,omitempty"`         // when the search synced its space first
	SyncedAt     *time.Time    `json:"synced_at,omitempty"`      // when it did not: how old the answer may be
}

// Completeness describes how an exhaustive search selected pages.
type Completeness struct {
	Complete bool     `json:"complete"`          // all pages were compared with the question
	Decided  string   `json:"decided"`           // description of the selected pages
	Pages    int      `json:"pages"`             // in all parts of the answer
	Words    *LeftOut `json:"words,omitempty"`   // pages with fewer words of the question
	Meaning  *LeftOut `json:"meaning,omitempty"` // less similar pages, still above the level of unrelated texts
	Missing  []string `json:"missing,omitempty"` // parts not compared
}

// Statement formats c as sentences, none for nil.
func (c *Completeness) Statement() (lines []string) {
	if c == nil {
		return nil
	}
	whole := "complete"
	if !c.Complete {
		whole = "not complete"
	}
	lines = append(lines, whole+": "+c.Decided)
	for _, left := range []struct {
		of  *LeftOut
		why string
	}{{c.Words, "fewer of the words"}, {c.Meaning, "less near in meaning"}} {
		if left.of != nil && left.of.Pages > 0 {
			lines = append(lines, fmt.Sprintf("left out: %s %s, the best at %.2f", Plural(left.of.Pages, "page"), left.why, left.of.Best))
		}
	}
	for _, m := range c.Missing {
		lines = append(lines, "missing: "+m)
	}
	return lines
}

// LeftOut counts the pages below a threshold.
type LeftOut struct {
	Pages int     `json:"left_out"`
	Least float64 `json:"least"` // the threshold
	Best  float64 `json:"best"`  // the best value below it
}

// Link is an edge with the page at its other end.
type Link struct {
	ID         int64    `json:"id,omitempty"` // for closing a relation; not in lists of unresolved links
	From       string   `json:"from"`         // ref of the page with the link
	Type       string   `json:"type"`
	Kind       string   `json:"kind"`
	Target     string   `json:"target"`            // as written
	Heading    string   `json:"heading,omitempty"` // of the target's page
	Block      string   `json:"block,omitempty"`   // of the target's page, without "^"
	Text       string   `json:"text,omitempty"`    // alias or link text
	ValidFrom  string   `json:"valid_from,omitempty"`
	ValidUntil string   `json:"valid_until,omitempty"`
	Ended      bool     `json:"ended,omitempty"` // on the day of the list, else today
	Context    string   `json:"context,omitempty"`
	Line       int      `json:"line"`
	Quote      string   `json:"quote,omitempty"`      // the surrounding text in its line, on request
	State      string   `json:"state"`                // "resolved", "unresolved", "ambiguous", "unwritten": a page that does not have to exist, such as a day; in lists of unresolved links also "no_anchor": the page lacks the heading or block
	Page       *Page    `json:"page,omitempty"`       // the other end
	Candidates []string `json:"candidates,omitempty"` // refs, when ambiguous

	FromTitle string `json:"-"` // of the page with the link
	FromShort string `json:"-"`
}

// Temporal selects links by the time at which they hold.
type Temporal string

// Temporal filters.
const (
	Current    Temporal = "current"    // that hold on the day
	Historical Temporal = "historical" // that ended by then
	AllTimes   Temporal = "all"
)

// LinkList holds the links from or to a page.
type LinkList struct {
	List[Link]
	At     string `json:"at,omitempty"`     // day that the list is for; "" for all times
	Hidden int    `json:"hidden,omitempty"` // links omitted because of their time
}

// UnlinkedName is the name of a page in the text of another page that does not
// link to it.
type UnlinkedName struct {
	From  string `json:"from"` // ref of the page with the name in its text
	To    string `json:"to"`   // ref of the named page
	Title string `json:"title"`
	Lines []int  `json:"lines"` // the first ones

	FromShort string `json:"-"`
	ToShort   string `json:"-"`
}

// Mention is a page that names another in its text and does not link to it.
type Mention struct {
	Ref     string `json:"ref"`
	Title   string `json:"title"`
	Lines   []int  `json:"lines"`             // the first ones
	Context string `json:"context,omitempty"` // the first of these lines
	Short   string `json:"-"`
}

// Facets counts common properties of pages, most frequent values first, newest
// months first.
type Facets struct {
	Pages   int     `json:"pages"`              // pages counted
	AtLeast bool    `json:"at_least,omitempty"` // there are more: the best ones were counted
	Space   []Count `json:"space"`
	Type    []Count `json:"type"`
	Status  []Count `json:"status"`
	Tag     []Count `json:"tag"`
	Month   []Count `json:"month"` // as 2026-03, of the day of the page
}

// Graph is a page with the pages around it, or pages of a space.
type Graph struct {
	Root    string      `json:"root,omitempty"` // ref; "" for pages of a space
	Depth   int         `json:"depth,omitempty"`
	At      string      `json:"at,omitempty"`                // day on which the links hold; "" of all times
	Nodes   []GraphNode `json:"nodes"`                       // nearest first, then by ref
	Links   []GraphLink `json:"links"`                       // between these nodes
	Hidden  int         `json:"hidden,omitempty"`            // links not followed because of their time
	LeftOut int         `json:"left_out,omitempty"`          // pages within the depth that did not fit
	AtLeast bool        `json:"left_out_at_least,omitempty"` // there may be more: the search stopped there
}

// GraphNode is a page in a graph.
type GraphNode struct {
	Ref      string    `json:"ref"`
	ID       kb.ID     `json:"id"`
	Title    string    `json:"title"`
	Type     string    `json:"type,omitempty"`
	Status   kb.Status `json:"status"`
	Distance int       `json:"distance"` // in links from the root
}

// GraphLink is an edge in a graph; equal links are one edge.
type GraphLink struct {
	ID         int64  `json:"id"`
	From       string `json:"from"` // ref
	To         string `json:"to"`   // ref
	Type       string `json:"type"`
	ValidFrom  string `json:"valid_from,omitempty"`
	ValidUntil string `json:"valid_until,omitempty"`
	Ended      bool   `json:"ended,omitempty"` // on the day of the graph, else today
}

// Written formats the link in the form of a wikilink without its brackets:
// Target#Heading^block|alias, with "!" before an embed.
func (l Link) Written() string {
	if l.Kind == "block" {
		return "((" + l.Target + "))"
	}
	out := l.Target
	if l.Heading != "" || l.Block != "" {
		out += "#" + l.Heading
	}
	if l.Block != "" {
		out += "^" + l.Block
	}
	if l.Text != "" {
		out += "|" + l.Text
	}
	if l.Kind == "embed" {
		return "!" + out
	}
	return out
}

// Entry is a timeline entry.
type Entry struct {
	Page   string `json:"page"` // ref
	Date   string `json:"date"`
	Source string `json:"source,omitempty"`
	Text   string `json:"text"`
	Detail string `json:"detail,omitempty"`
	Line   int    `json:"line"`
}

// Task is an open or completed task on a line of a page. Dates are YYYY-MM-DD with
// or without THH:MM.
type Task struct {
	Page      string `json:"page"` // ref
	Path      string `json:"path"`
	Line      int    `json:"line"`
	Text      string `json:"text"`
	State     string `json:"state"` // of a checkbox todo, doing, done, cancelled or its mark; a keyword as written
	Done      bool   `json:"done"`
	Due       string `json:"due,omitempty"`
	Scheduled string `json:"scheduled,omitempty"`
	Start     string `json:"start,omitempty"`
	Completed string `json:"completed,omitempty"`
	Created   string `json:"created,omitempty"`
}

// PageRow is a page with the values of the requested properties, by name.
type PageRow struct {
	Page
	Columns map[string]string `json:"columns"`
}

// PageRows lists pages with values of the same properties.
type PageRows struct {
	List[PageRow]
	Columns []string `json:"columns"` // names of the properties
}

// Count is a value and the number of its uses.
type Count struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// Dir is an entry of a directory listing: a directory or a page.
type Dir struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Pages *int   `json:"pages,omitempty"` // below a directory, and nil otherwise
	Page  *Page  `json:"page,omitempty"`
	File  bool   `json:"file,omitempty"`  // that is not a page
	Bytes int64  `json:"bytes,omitempty"` // of such a file
}

// Stats count the contents of a memory or a space.
type Stats struct {
	Spaces       int     `json:"spaces"`
	Documents    int     `json:"documents"`
	Pages        int     `json:"pages"`
	Links        int     `json:"links"`
	Unresolved   int     `json:"unresolved_links"`
	Ambiguous    int     `json:"ambiguous_links"`
	Observations int     `json:"observations"`
	Entries      int     `json:"timeline_entries"`
	Tags         int     `json:"tags"`
	Gaps         int     `json:"open_gaps"`
	Disputes     int     `json:"contradictions"` // counted ones, including stale truths, by the policies of the spaces
	Bytes        int64   `json:"document_bytes"`
	Database     int64   `json:"database_bytes"`
	Types        []Count `json:"types"`
	Statuses     []Count `json:"statuses"`
}

// Breakdown holds Stats, further counts of pages, and counts of everything else
// in the memory.
type Breakdown struct {
	Stats
	Assertions int    `json:"assertions"` // of any status
	RawData    int    `json:"raw_data"`   // data of sources about pages
	Chunks     int    `json:"chunks"`     // passages with a vector of the active model
	Model      string `json:"model"`      // the active model; "" for none yet

	PerSpace []Count `json:"per_space"`
	Ages     []Count `json:"ages"` // by days since the last change
}

// Version is one state in a page's history, or one event of the memory.
type Version struct {
	Seq     int64         `json:"seq"`
	Write   int64         `json:"write"`
	Space   string        `json:"space"`
	Page    kb.ID         `json:"page"`
	Ref     string        `json:"ref"`
	Version int           `json:"version"`
	Change  kb.ChangeKind `json:"change"`
	Path    string        `json:"path"`
	Title   string        `json:"title"`
	Actor   string        `json:"actor"`
	Op      string        `json:"operation,omitempty"`
	Message string        `json:"message,omitempty"`
	Bytes   int64         `json:"bytes"`
	// SidecarBytes is the size of the sidecar.
	SidecarBytes int64     `json:"sidecar_bytes,omitempty"`
	Pruned       bool      `json:"pruned,omitempty"` // its text has been pruned
	At           time.Time `json:"at"`

	Commit string `json:"commit,omitempty"` // git commit, in the versions of a page of a guarded space
}

// Check is one line of doctor's report.
type Check struct {
	Name   string   `json:"name"`
	State  string   `json:"state"` // "ok", "warning", "error"
	Reason string   `json:"reason"`
	Remedy string   `json:"remedy,omitempty"` // advice for a person
	Fix    string   `json:"fix,omitempty"`    // description of Mend, if there is a safe repair
	Items  []string `json:"items,omitempty"`

	Mend func(context.Context) error `json:"-"` // performs Fix; nil without one
}

// State is the answer of `cairn status`.
type State struct {
	Database string     `json:"database"`
	Spaces   []Space    `json:"spaces"`
	Stats    Stats      `json:"stats"`
	Problems []Check    `json:"problems"`
	LastSync *time.Time `json:"last_sync,omitempty"`
	Git      []GitState `json:"git,omitempty"` // states of the repositories of guarded spaces

	Curation []CurationDue `json:"curation,omitempty"` // of spaces with a curation schedule

	Maintained *time.Time `json:"last_maintenance,omitempty"` // nil for never
	Serving    *Serving   `json:"serving,omitempty"`          // nil when no server ever ran
}

// Changed returns refs of the pages with new content or a new path after the
// write; nil after a dry run.
func (w Written) Changed() []string {
	var refs []string
	for _, p := range w.Pages {
		if !w.DryRun && p.ID != "" && p.Change != "" && p.Change != kb.Deleted {
			refs = append(refs, p.Space+":"+p.Path)
		}
	}
	return refs
}

// Contradictions is a list of contradictions, with counts by kind.
type Contradictions struct {
	List[Contradiction]
	Certain   int `json:"certain"`
	Possible  int `json:"possible"` // may be empty
	Dismissed int `json:"dismissed,omitempty"`
}

// Contradiction is a pair of statements that cannot both hold, or a statement much
// older than the other.
type Contradiction struct {
	ID        string     `json:"id"` // stable as long as both sides are unchanged
	Type      string     `json:"type"`
	Certain   bool       `json:"certain"`
	Subject   string     `json:"subject"` // page in question, or the subject of an assertion
	Text      string     `json:"text"`
	A         Side       `json:"a"`
	B         Side       `json:"b"`
	Dismissed *Dismissed `json:"dismissed,omitempty"`

	SubjectRef string `json:"subject_ref,omitempty"`
}

// Side is one statement of a contradiction.
type Side struct {
	Ref        string `json:"ref"` // of the page that states it
	Title      string `json:"title"`
	Lines      []int  `json:"lines,omitempty"` // first and last
	Quote      string `json:"quote,omitempty"`
	Subject    string `json:"subject,omitempty"`
	SubjectRef string `json:"subject_ref,omitempty"` // of its page
	Predicate  string `json:"predicate,omitempty"`
	Object     string `json:"object,omitempty"`     // as written
	ObjectRef  string `json:"object_ref,omitempty"` // of its page
	ValidFrom  string `json:"valid_from,omitempty"`
	ValidUntil string `json:"valid_until,omitempty"`
	Date       string `json:"date,omitempty"` // of the statement, else as of when the truth holds
	ID         int64  `json:"assertion_id,omitempty"`
	Source     string `json:"source"`              // "relation", "property", "text", "truth", "timeline" or "assertion"
	Cited      string `json:"cited,omitempty"`     // cited source
	Authority  string `json:"authority,omitempty"` // authority of the cited source: "user", "primary", "enrichment", "web" or "social"
}

// Line formats a side as one line of text: its location, the quote, and in brackets
// its kind, date, authority and source.
func (s Side) Line() string {
	line := s.Ref
	if len(s.Lines) > 0 {
		line += fmt.Sprintf(":%d", s.Lines[0])
	}
	if s.Quote != "" {
		line += "  " + s.Quote
	}
	from := slices.DeleteFunc([]string{s.Source, s.Date, s.Authority}, func(part string) bool { return part == "" })
	line += "  [" + strings.Join(from, ", ")
	if s.Cited != "" && !strings.Contains(s.Quote, s.Cited) && !strings.EqualFold(s.Cited, s.Authority) {
		line += ": " + s.Cited
	}
	return line + "]"
}

// Dismissed is the reason why a contradiction was dismissed.
type Dismissed struct {
	Note string    `json:"note"`
	By   string    `json:"by"`
	At   time.Time `json:"at"`
}

// Assertion is a statement about a subject, with the time for which it holds.
type Assertion struct {
	ID           int64           `json:"id,omitempty"` // 0 for a property
	Ref          string          `json:"ref"`          // of the page that it belongs to
	Subject      string          `json:"subject"`
	SubjectRef   string          `json:"subject_ref,omitempty"` // of the subject's page
	Predicate    string          `json:"predicate"`
	Object       string          `json:"object"`
	ObjectRef    string          `json:"object_ref,omitempty"`
	ValidFrom    string          `json:"valid_from,omitempty"`
	ValidUntil   string          `json:"valid_until,omitempty"`
	Status       AssertionStatus `json:"status"`
	Confidence   float64         `json:"confidence"`
	AssertedBy   string          `json:"asserted_by,omitempty"`
	Source       string          `json:"source_ref,omitempty"`
	Evidence     string          `json:"evidence_text,omitempty"`
	Lines        []int           `json:"evidence_lines,omitempty"` // of the page: the first and the last
	Lost         bool            `json:"evidence_lost,omitempty"`  // the quoted evidence is not in the page any more
	Supersedes   int64           `json:"supersedes_id,omitempty"`
	SupersededBy int64           `json:"superseded_by,omitempty"`
	CreatedAt    string          `json:"created_at,omitempty"`
	Derived      Derived         `json:"derived,omitempty"` // the part of the page with the statement; "" for the sidecar
}

// Derived is the part of a page, other than its sidecar, that an assertion is
// derived from.
type Derived string

// Origins of derived assertions. A relation has the id of its link.
const (
	FromRelation Derived = "relation"
	FromProperty Derived = "property"
)

// AssertionStatus is the state of an assertion on a day.
type AssertionStatus string

// Statuses of assertions.
const (
	Holds      AssertionStatus = "current"
	Future     AssertionStatus = "future"
	Ended      AssertionStatus = "ended"
	Superseded AssertionStatus = "superseded" // ended, and replaced by another one
)

// Assertions lists assertions.
type Assertions struct {
	List[Assertion]
	At     string     `json:"at"`               // day that the list is for
	AsOf   *time.Time `json:"as_of,omitempty"`  // time of the memory
	Hidden int        `json:"hidden,omitempty"` // assertions with another status than requested
}
