package api

import "encoding/json"

// Sources are the sources of data that a page has.
type Sources struct {
	Ref     string       `json:"ref"`
	Version int          `json:"version"`
	Items   []SourceData `json:"items"`
	Total   int          `json:"total"`

	Warnings []Warning `json:"-"` // that these are not the newest
}

// SourceData is what one program gave.
type SourceData struct {
	Source  string          `json:"source"`
	Fetched string          `json:"fetched,omitempty"` // as it is written
	Bytes   int             `json:"bytes"`
	Data    json.RawMessage `json:"data,omitempty"`
}
