package api

// Depth says how much of each page a query serves.
type Depth string

// The depths, from little to much.
const (
	DepthSummary Depth = "summary" // one paragraph
	DepthSection Depth = "section" // the passage that answers best
	DepthFull    Depth = "full"    // the whole truth of the page, without pages nested in it, and the passage where that is below it
	DepthAuto    Depth = "auto"    // as much as the budget holds, the best pages first
)

// TextLines are where a served text is in its document; none for a summary.
type TextLines struct {
	Stands [2]int   `json:"text_lines,omitzero" jsonschema:"lines of text"`    // first and last
	Parts  [][2]int `json:"text_parts,omitempty" jsonschema:"lines between …"` // the runs between "…", where there are several
}

// Served is a hit with as much of its text as was asked for and fits.
type Served struct {
	Hit
	Depth Depth  `json:"depth,omitempty"` // what Text is; "" when nothing fits any more
	Text  string `json:"text,omitempty"`
	TextLines
	Tokens  int `json:"tokens"`
	LeftOut int `json:"left_out_tokens"` // of the page's truth and that passage, not served; estimated from its start where a long one has more than the budget
}

// QueryResult is the answer to a question.
type QueryResult struct {
	Items []Served `json:"items"`
	SearchResult
	Budget int `json:"budget_tokens"`
	Spent  int `json:"spent_tokens"`
}
