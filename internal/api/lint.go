package api

// Fault is a problem of a document.
type Fault struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"` // fatal or warning
	Space    string `json:"space"`
	Path     string `json:"path"`
	Line     int    `json:"line,omitempty"` // from 1
	Message  string `json:"message"`
}

// Faults are the lint faults found, sorted by space, path and line.
type Faults struct {
	List[Fault]
	Files    int `json:"files"` // number of files checked
	Fatal    int `json:"fatal"`
	Warnings int `json:"warnings"`
}

// LintRequest selects documents to check: all of the current space by default.
type LintRequest struct {
	Refs    []string `json:"refs,omitempty" jsonschema:"only these pages"` // in any space
	Text    *string  `json:"text,omitempty" jsonschema:"check this text instead, as if it were in the space"`
	Path    string   `json:"path,omitempty" jsonschema:"path of the text"`
	Changed bool     `json:"changed,omitempty" jsonschema:"only uncommitted files"`
	Index   bool     `json:"index,omitempty" jsonschema:"only the index files"`
	Space   string   `json:"space,omitempty"`
	Limit   int      `json:"limit,omitempty" jsonschema:"default 50"` // use case: 0 for all
	Offset  int      `json:"offset,omitempty"`
}
