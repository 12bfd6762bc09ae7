package api

import (
	"encoding/json"

	"github.com/cairn-kb/cairn/internal/kb"
)

// PlannedPage is a page of a plan for a source, or the parts of an existing page to
// be written.
type PlannedPage struct {
	Slug        string          `json:"slug"`
	Content     *string         `json:"content,omitempty" jsonschema:"the whole page"`
	Truth       *string         `json:"compiled_truth,omitempty" jsonschema:"above the line"`
	Append      string          `json:"timeline_append,omitempty" jsonschema:"entries: - **date** | source — text"`
	Frontmatter json.RawMessage `json:"frontmatter,omitempty"` // an object: keys to set; null removes a key
	Expected    *int            `json:"expected_version,omitempty" jsonschema:"version you read"`
	Assertions  []kb.Statement  `json:"assertions,omitempty"` // an existing open assertion is ended if an end is given; AssertedBy is ignored
	Links       []PlannedLink   `json:"links,omitempty"`
	Entries     []PlannedEntry  `json:"timeline_entries,omitempty"`
	Tags        []string        `json:"tags,omitempty"`
}

// PlannedLink is a relation from the page. An existing open relation is ended if an
// end is given.
type PlannedLink struct {
	To         string `json:"to"`
	Type       string `json:"relationship,omitempty"`
	Context    string `json:"context,omitempty"`
	ValidFrom  string `json:"valid_from,omitempty"`
	ValidUntil string `json:"valid_until,omitempty"`
}

// PlannedEntry is a timeline entry.
type PlannedEntry struct {
	Date    string `json:"date"`
	Summary string `json:"summary"`
	Source  string `json:"source,omitempty"`
	Detail  string `json:"detail,omitempty"`
}
