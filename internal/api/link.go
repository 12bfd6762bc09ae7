package api

// Direction is the direction in which links are followed.
type Direction string

// Directions.
const (
	Out  Direction = "out"
	In   Direction = "in"
	Both Direction = "both"
)

// LinkRequest adds, ends or removes a typed relation.
type LinkRequest struct {
	ID      int64  `json:"-"` // of a relation to end, instead of its pages and type
	From    string `json:"from" jsonschema:"ref"`
	To      string `json:"to" jsonschema:"ref"`
	Type    string `json:"type,omitempty" jsonschema:"relation, such as works_at (default relates_to; remove: * for all)"`
	Since   string `json:"since,omitempty" jsonschema:"date from which it holds"`
	Until   string `json:"until,omitempty" jsonschema:"date to which it held (close: default today)"`
	Context string `json:"context,omitempty"`
	WriteOptions
}

// LinksRequest asks for the links from or to a page.
type LinksRequest struct {
	Ref      string    `json:"ref,omitempty" jsonschema:"page (default: broken links)"`
	Way      Direction `json:"way,omitempty" jsonschema:"out: from the page (default), in: to it"`
	Temporal Temporal  `json:"temporal,omitempty" jsonschema:"default of out: all, of in: current"`
	At       string    `json:"at,omitempty" jsonschema:"date of current and historical (default today)"`
	AsOf     string    `json:"as_of,omitempty" jsonschema:"date or time"`
	Lines    []int     `json:"lines,omitempty" jsonschema:"of out: first and last"`
	Quotes   bool      `json:"quotes,omitempty" jsonschema:"with their lines"`
	Limit    int       `json:"limit,omitempty" jsonschema:"default 20"` // use case: 0 for all
	Offset   int       `json:"offset,omitempty"`
}

// GraphRequest asks for the pages around a page.
type GraphRequest struct {
	Ref       string    `json:"ref"`
	Depth     int       `json:"depth,omitempty" jsonschema:"in links (default 2)"`
	Limit     int       `json:"limit,omitempty" jsonschema:"pages (default 50)"`
	Direction Direction `json:"direction,omitempty" jsonschema:"default both"`
	Types     []string  `json:"type,omitempty" jsonschema:"of links"`
	Temporal  Temporal  `json:"temporal,omitempty" jsonschema:"default current"`
	At        string    `json:"at,omitempty" jsonschema:"date (default today)"`
	AsOf      string    `json:"as_of,omitempty" jsonschema:"date or time: the pages of that state"`
}
