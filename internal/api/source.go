package api

// Source is a stored source of pages.
type Source struct {
	Space     string   `json:"space"`
	Path      string   `json:"path"`           // of the stub
	File      string   `json:"file,omitempty"` // with the full text
	URL       string   `json:"url"`
	Title     string   `json:"title"`
	Retrieved string   `json:"retrieved"` // day
	Bytes     int      `json:"bytes"`     // of the stub
	Commit    string   `json:"commit,omitempty"`
	Unchanged bool     `json:"unchanged,omitempty"` // it was stored already
	DryRun    bool     `json:"dry_run,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`
}

// SourceRequest is a source to store.
type SourceRequest struct {
	URL    string `json:"url"`
	Text   string `json:"text,omitempty" jsonschema:"the part that matters, 16 KB at most"` // or with Full the whole text
	Title  string `json:"title,omitempty"`
	Name   string `json:"name,omitempty" jsonschema:"of the file that the text is from"`
	Full   bool   `json:"full,omitempty" jsonschema:"the text is all of the source, and is kept whole"`
	Space  string `json:"space,omitempty"`
	DryRun bool   `json:"dry_run,omitempty"`
}
