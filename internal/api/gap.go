package api

import (
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Gap is a question that the memory could not answer. Its words stay on
// this machine; only what somebody approved may be asked elsewhere.
type Gap struct {
	ID      int64    `json:"id"`
	Space   string   `json:"space"`
	Words   string   `json:"words,omitempty"`   // of the question, for this machine alone; "" where the policy keeps its hash only
	Context string   `json:"context,omitempty"` // what it was asked for
	Score   *float64 `json:"score,omitempty"`   // of the best page that was found
	// Confidence is how sure the memory was of its last answer, where it noted the gap
	// itself.
	Confidence *float64  `json:"confidence,omitempty"`
	Count      int       `json:"count"` // how often it was asked
	First      time.Time `json:"first_asked_at"`
	Last       time.Time `json:"last_asked_at"`
	By         string    `json:"asked_by"` // last
	Hash       string    `json:"question_sha256"`

	Sensitivity kb.Sensitivity `json:"sensitivity"`
	Question    string         `json:"question,omitempty"`
	Redacted    string         `json:"redacted_question,omitempty"`
	Approver    string         `json:"approved_by,omitempty"`
	Through     string         `json:"approved_through,omitempty"` // who passed the approval on
	ApprovedAt  *time.Time     `json:"approved_at,omitempty"`

	CandidateID kb.ID  `json:"candidate_id,omitempty"` // the page that answered it well since
	Candidate   string `json:"candidate,omitempty"`    // ref, "" when the page is not there any more

	ResolvedAt *time.Time `json:"resolved_at,omitempty"`
	ResolvedBy string     `json:"resolved_by,omitempty"`
	PageID     kb.ID      `json:"page_id,omitempty"`
	Page       string     `json:"page,omitempty"` // ref, "" when the page is not there any more
}
