package kb

import (
	"crypto/sha256"
	"strings"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Sensitivity limits where the question of a gap may be shown.
type Sensitivity string

// Sensitivities, beginning with the initial one of every gap.
const (
	GapInternal Sensitivity = "internal" // searched in the memory only
	GapRedacted Sensitivity = "redacted" // its redacted wording may be sent elsewhere
	GapExternal Sensitivity = "external" // its original wording may be sent elsewhere
)

// Gap is a question that the memory could not answer.
type Gap struct {
	Row     int64
	Space   int64    // Space.Row
	Hash    Hash     // QuestionHash of the question
	Words   string   // of the question, for this machine; "" if the policy only keeps the hash
	Context string   // the purpose of the question, as far as the policy allows it to be stored
	Score   *float64 // of the best page found; nil if unknown
	// Confidence is the confidence of the memory's last answer; nil if unknown.
	Confidence *float64
	Count      int // number of times it was asked
	First      time.Time
	Last       time.Time
	Asker      Actor // the latest asker

	Sensitivity Sensitivity
	Approval    *GapApproval // nil while Sensitivity is GapInternal

	Candidate *GapCandidate // nil while no page answers it well
	Answer    *GapAnswer    // nil while the gap is open
}

// GapCandidate is the page that answered an open gap's question well, without
// confirmation so far.
type GapCandidate struct {
	Page  ID
	Space int64 // Space.Row; 0 when the space was removed
}

// GapApproval records that a person allowed a question to be stored and asked
// elsewhere.
type GapApproval struct {
	Question string // "" if only a redacted wording is stored
	Redacted string
	Approver string // the person who approved it
	Actor    Actor  // the actor that recorded the approval
	Time     time.Time
}

// GapAnswer is the page that closed a gap.
type GapAnswer struct {
	Page  ID
	Space int64 // Space.Row; 0 when the space was removed
	Actor Actor // who recorded it
	Time  time.Time
}

// QuestionHash returns the SHA-256 that identifies a question. It ignores case,
// white space and punctuation at the end. Other punctuation counts: it
// distinguishes C# from C.
func QuestionHash(question string) Hash {
	folded := cases.Fold().String(norm.NFKC.String(question))
	words := strings.Join(strings.Fields(folded), " ")
	if plain := strings.TrimRight(words, " ?!.。"); plain != "" {
		words = plain
	}
	return sha256.Sum256([]byte(words))
}
