package api

// Table is a table of a page.
type Table struct {
	Name     string         `json:"name"`
	Space    string         `json:"space"`
	Page     string         `json:"page"` // path
	Version  int            `json:"version,omitempty"`
	Columns  []string       `json:"columns"` // the first is not always the key
	Key      string         `json:"key"`     // column with the keys of rows
	Items    []TableRow     `json:"items"`
	Total    int            `json:"total"`
	Next     string         `json:"next,omitempty"` // offset of the next rows
	Problems []TableProblem `json:"problems,omitempty"`
}

// TableRow is a readable row.
type TableRow struct {
	Key    string            `json:"key"`
	Values map[string]string `json:"values"` // by column
	Line   int               `json:"line"`
}

// TableProblem is an unreadable row.
type TableProblem struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}
