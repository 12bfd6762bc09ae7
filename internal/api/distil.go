package api

import "time"

// Distilled is an ingest plan with sentences of past sessions.
type Distilled struct {
	Pages    []DistilledPage `json:"pages"`
	Evidence []SaidEvidence  `json:"evidence"` // at least one for each page
	Existing int             `json:"existing,omitempty" jsonschema:"left out: there is a page of that name"`
	More     bool            `json:"more,omitempty" jsonschema:"there are more than the limit"`
}

// DistilledPage is a page of the plan, in the form of PlannedPage.
type DistilledPage struct {
	Slug        string            `json:"slug"`
	Frontmatter map[string]string `json:"frontmatter"`
	Truth       string            `json:"compiled_truth"`
	Entries     []PlannedEntry    `json:"timeline_entries"`
}

// SaidEvidence is a sentence of a past session for which a page is planned.
type SaidEvidence struct {
	Slug    string     `json:"slug"`
	Kind    string     `json:"kind"`
	Rule    string     `json:"rule" jsonschema:"by which it was taken"`
	Quote   string     `json:"quote"`
	Before  string     `json:"before,omitempty" jsonschema:"what the other side had said"`
	Session string     `json:"session" jsonschema:"ref of its page"`
	Turn    int        `json:"turn"`
	By      string     `json:"by"`
	Line    int        `json:"line"`
	At      *time.Time `json:"at,omitempty"`
	Resume  string     `json:"resume,omitempty"`
}
