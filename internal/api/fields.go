package api

import "github.com/cairn-kb/cairn/internal/kb"

// FieldHit is a page found by its fields.
type FieldHit struct {
	Title    string   `json:"title"`
	ID       kb.ID    `json:"id"`
	Summary  string   `json:"summary"`
	Projects []string `json:"projects"`
	Status   string   `json:"status"`
	Updated  string   `json:"updated"` // day
	Path     string   `json:"path"`
	Match    []string `json:"match"` // fields that match
	Score    int      `json:"score"`
	Ref      string   `json:"ref"`
	Sources  []string `json:"sources,omitempty"` // paths of the page's sources
}

// FieldHits lists the pages found by their fields, best first.
type FieldHits struct {
	List[FieldHit]
	Spaces []string `json:"spaces"`
	Failed []string `json:"failed,omitempty"` // unreadable files
}
