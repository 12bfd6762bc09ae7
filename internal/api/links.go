package api

// OpenRelation is one as an error names it.
type OpenRelation struct {
	ID        int64  `json:"id"`
	Ref       string `json:"ref"` // of the page that holds it
	Line      int    `json:"line"`
	ValidFrom string `json:"valid_from,omitempty"`
}
