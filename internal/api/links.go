package api

// OpenRelation is an open relation listed in an error.
type OpenRelation struct {
	ID        int64  `json:"id"`
	Ref       string `json:"ref"` // of the page that contains it
	Line      int    `json:"line"`
	ValidFrom string `json:"valid_from,omitempty"`
}
