package api

// ContextRequest asks for a page, or the pages that match a pattern, and the pages
// around them.
type ContextRequest struct {
	URI       string `json:"uri" jsonschema:"memory:// URI or ref; * and ** match several pages"` // or the permalink of an observation or relation
	Space     string `json:"space,omitempty"`
	Depth     int    `json:"depth,omitempty" jsonschema:"links to follow, 1 to 5 (default 1)"`
	Timeframe string `json:"timeframe,omitempty" jsonschema:"only what changed since: 7d, last week"`
	Part
	MaxRelated int `json:"max_related,omitempty" jsonschema:"default 10"` // with each
}
