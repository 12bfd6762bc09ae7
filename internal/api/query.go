package api

// Depth is how much of each page a query returns.
type Depth string

// Depths, in ascending order.
const (
	DepthSummary Depth = "summary" // one paragraph
	DepthSection Depth = "section" // the most relevant passage
	DepthFull    Depth = "full"    // the whole truth of the page, without nested pages, and the passage if it is below the truth
	DepthAuto    Depth = "auto"    // as much as the budget allows, best pages first
)

// TextLines is the position of a returned text in its document; none for a summary.
type TextLines struct {
	Stands [2]int   `json:"text_lines,omitzero" jsonschema:"lines of text"`    // first and last
	Parts  [][2]int `json:"text_parts,omitempty" jsonschema:"lines between …"` // the runs between "…", if there are several
}

// Served is a hit with as much of its text as was requested and fits.
type Served struct {
	Hit
	Depth Depth  `json:"depth,omitempty"` // of Text; "" when nothing more fits
	Text  string `json:"text,omitempty"`
	TextLines
	Tokens  int `json:"tokens"`
	LeftOut int `json:"left_out_tokens"` // of the page's truth and that passage, omitted; estimated from its start if it is longer than the budget
}

// QueryResult is the answer to a question.
type QueryResult struct {
	Items []Served `json:"items"`
	SearchResult
	Budget int `json:"budget_tokens"`
	Spent  int `json:"spent_tokens"`
}
