package api

// Source is a stored source of pages.
type Source struct {
	Space     string   `json:"space"`
	Path      string   `json:"path"`           // of the stub
	File      string   `json:"file,omitempty"` // of all of it
	URL       string   `json:"url"`
	Title     string   `json:"title"`
	Retrieved string   `json:"retrieved"` // day
	Bytes     int      `json:"bytes"`     // of the stub
	Commit    string   `json:"commit,omitempty"`
	Unchanged bool     `json:"unchanged,omitempty"` // it was stored before
	DryRun    bool     `json:"dry_run,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`
}
