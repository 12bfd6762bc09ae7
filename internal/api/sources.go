package api

import "encoding/json"

// Sources lists the data sources of a page.
type Sources struct {
	Ref     string       `json:"ref"`
	Version int          `json:"version"`
	Items   []SourceData `json:"items"`
	Total   int          `json:"total"`

	Warnings []Warning `json:"-"` // newer data exists
}

// SourceData is the data of one program.
type SourceData struct {
	Source  string          `json:"source"`
	Fetched string          `json:"fetched,omitempty"` // verbatim
	Bytes   int             `json:"bytes"`
	Data    json.RawMessage `json:"data,omitempty"`
}
