package rank

import "math"

// Match says how well an answer fits its question.
type Match string

// The matches.
const (
	Strong Match = "strong" // what was asked for stands there, as far as words and meaning tell
	Weak   Match = "weak"   // something of it does
	None   Match = "none"   // what was found says hardly anything of it
)

// Fit is the evidence that an answer fits its question. Unlike scores it can be
// compared between questions.
type Fit struct {
	Named      bool    // the question is the name of a page
	Words      bool    // the question's words were looked for
	Coverage   float64 // of these words, that the best page holds, by how rare they are: from 0 to 1
	Meaning    bool    // meaning was asked, of the built-in model
	Partly     bool    // of some of the pages only, then: the others may be nearer
	Similarity float64 // of the nearest passage, then
}

// The logistic regressions that turn evidence into confidence, fitted on questions of
// LoCoMo with their conversation in the memory and without it: docs/benchmarks.md.
const (
	coverageSlope, similaritySlope, offset = 5.5, 42.0, 30.8
	coverageAlone, offsetOfCoverage        = 10.0, 6.0
	similarityAlone, offsetOfSimilarity    = 60.0, 39.0
)

// From strongFrom on are 88 % of the questions that have an answer, and 4 % of those
// that have none; below noneBelow are 4 % and 74 %.
const (
	strongFrom = 0.6
	noneBelow  = 0.15
)

// Confidence returns how sure it is that the answer is among what was found, from
// 0 to 1.
func (f Fit) Confidence() float64 {
	words := logistic(coverageAlone*f.Coverage - offsetOfCoverage)
	switch {
	case f.Named:
		return 1
	case f.Words && f.Meaning:
		both := logistic(coverageSlope*f.Coverage + similaritySlope*f.Similarity - offset)
		if f.Partly {
			return max(both, words)
		}
		return both
	case f.Meaning:
		return logistic(similarityAlone*f.Similarity - offsetOfSimilarity)
	}
	return words
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// Match returns what the evidence comes to; "" where there is none to go by.
func (f Fit) Match() Match {
	c := f.Confidence()
	switch {
	case !f.Named && !f.Words && !f.Meaning:
		return ""
	case c >= strongFrom:
		return Strong
	case c < noneBelow:
		return None
	}
	return Weak
}
