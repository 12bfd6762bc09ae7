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

// The sensitivities, from the one that every gap begins with.
const (
	GapInternal Sensitivity = "internal" // it is looked for in the memory only
	GapRedacted Sensitivity = "redacted" // its redacted wording may be asked elsewhere
	GapExternal Sensitivity = "external" // it may be asked elsewhere as it is
)

// Gap is a question that the memory could not answer.
type Gap struct {
	Row     int64
	Space   int64    // Space.Row
	Hash    Hash     // QuestionHash of the question
	Words   string   // of the question, for this machine; "" where the policy keeps the hash alone
	Context string   // the purpose of the question, as far as policy lets it be stored
	Score   *float64 // of the best page that was found; nil when not known
	// Confidence is how sure the memory was of its last answer; nil when not known.
	Confidence *float64
	Count      int // how often it was asked
	First      time.Time
	Last       time.Time
	Asker      Actor // the latest asker

	Sensitivity Sensitivity
	Approval    *GapApproval // nil while Sensitivity is GapInternal

	Candidate *GapCandidate // nil while no page answered it well
	Answer    *GapAnswer    // nil while the gap is open
}

// GapCandidate is the page that answered a question well which is open as a gap.
// Nobody has said that it does.
type GapCandidate struct {
	Page  ID
	Space int64 // Space.Row; 0 when the space was removed
}

// GapApproval is that somebody allowed a question to be kept and asked elsewhere.
type GapApproval struct {
	Question string // "" when only a redacted wording is kept
	Redacted string
	Approver string // the person who approved it
	Actor    Actor  // who passed on the approval
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
