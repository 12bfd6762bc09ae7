package rank

import "math"

// Match is how well an answer fits its question.
type Match string

// The matches.
const (
	Strong Match = "strong" // keyword and semantic evidence indicate that the answer is in the results
	Weak   Match = "weak"   // some of the evidence does
	None   Match = "none"   // the results are hardly related to the question
)

// Background is the rank of a page that represents pages without an answer: the difference
// between the best page and it separates a question that one page answers from one that many
// pages mention. Ranks from the fifth to the twentieth made no difference.
const Background = 9

// Unrelated is the similarity of unrelated texts with the built-in model: the background of
// a memory with few pages.
const Unrelated = 0.5

// Hardly is the minimum similarity of a hit without any word of the question. It is higher
// than Unrelated, because in a small memory short pages by one author are often slightly
// more similar. The measured recall is not lower with it.
const Hardly = 0.55

// UnrelatedUnknown is Unrelated for texts in a script that the model does not know, such as
// Han.
const UnrelatedUnknown = 0.8

// Fit is the evidence that an answer fits its question. Unlike scores it is comparable
// between questions. Unknown values are 0.
type Fit struct {
	Named      bool    // the question is the name of a page
	Words      bool    // the question's words were searched for
	Coverage   float64 // share of these words, weighted by rarity, that one of the best pages contains: from 0 to 1
	WordsAhead float64 // difference between the keyword scores of the best page and that of rank Background, relative to the best possible score
	Meaning    bool    // semantic search ran, with the built-in model
	Unread     bool    // the question is in a script that the model does not know, so that only words count
	Kin        bool    // if Unread, whether one of the best pages may contain a word of it in another form
	Partly     bool    // if Meaning, whether only some of the pages were searched: the others may be more similar
	Similarity float64 // if Meaning, the similarity of the most similar passage among the best pages
	NearAhead  float64 // if Meaning, how much more similar that is than the page of rank Background
	Subject    bool    // the question names one of the best pages, and asks for more
	Read       bool    // the sentences of these pages, or of the best pages, were compared with the question
	Turns      bool    // the question names a speaker in the dialogues of the answer
	TurnsAhead float64 // difference between the passage scores of the best turns about the named people and of those about others; negative if the latter are better
	Statement  float64 // similarity of the most similar sentence of those pages to the rest of the question, or of any sentence to the question; without vectors, the share of the words in the rest of the question
}

// The logistic regressions that convert evidence to confidence, fitted on three sets of
// judged questions, with and without the pages that answer them in the memory: see
// docs/benchmarks.md, where cairn's own program fits them again.
const (
	coverageBoth, aheadBoth, similarityBoth, offsetBoth = 2.8, 3.0, 7.7, 7.8
	coverageAlone, aheadAlone, offsetWords              = 3.8, 4.0, 2.8
	similarityAlone, nearAheadAlone, offsetMeaning      = 9.5, 15.5, 7.8
)

// A name in a question makes its page similar, even if the page does not answer it. So for
// such questions the confidence is that of the sentence most similar to the rest of the
// question. For other questions, a sentence raises the confidence if words and passages
// underestimate the answer. The values were chosen on the two sets of questions of
// bench/quality/testdata, such that separation is not worse on any of the three other sets.
const (
	statementSlope, statementEven = 12.0, 0.57
	anySlope, anyEven, anyShare   = 40.0, 0.6, 0.6
)

// restSlope and restEven map Statement to confidence without vectors: the share of the
// question's words, except names, that the page contains. A question that paraphrases its
// page has none of these words, and neither has one that the page does not answer, so no
// page is called an answer and no question a gap.
const restSlope, restEven = 4.0, 0.22

// meaningShare is the weight of semantic similarity alone if keywords were searched as well.
// Paraphrased questions are rarer in these sets than in practice; up to a half this changes
// no measured value by more than 0.002, and no share of the questions without an answer by
// more than 6 %.
const meaningShare = 0.5

// The thresholds of confidence, chosen with it. At 0.5 the odds are even, if half of the
// questions can be answered from the memory.
const (
	StrongFrom = 0.5
	NoneBelow  = 0.2
)

// turnsSlope and turnsEven map TurnsAhead to confidence. Words about another person do not
// answer a question any better than words that nobody said. They were fitted on the
// questions of LoCoMo (development half) that name one of the two speakers: 679 with an
// answer, and 235 with swapped speakers. The AUC of all its questions is .90, and .54
// without this; it was .79 when each turn was taken to be about its speaker, even one that
// asks the other speaker.
const turnsSlope, turnsEven = 6.0, 0.03

// Confidence returns the probability that the memory can answer the question, from 0 to 1.
func (f Fit) Confidence() float64 {
	c := f.answered()
	if f.Turns && !f.Named {
		c = min(c, max(NoneBelow, logistic(turnsSlope*(f.TurnsAhead-turnsEven)))) // at least weak: the subject exists
	}
	if f.Unread && (f.Coverage > 0 || f.Kin) {
		c = max(c, sharedUnread)
	}
	return c
}

// sharedUnread is the minimum confidence if a page shares words with a question in a script
// that the model does not know. Most words of such scripts are pairs of characters, and a
// question worded differently from its page shares few of them. It means weak rather than a
// gap.
const sharedUnread = 0.3

// answered returns the confidence without regard to speakers.
func (f Fit) answered() float64 {
	switch c := f.whole(); {
	case f.Named, !f.Read:
		return c
	case f.Subject && !f.Meaning:
		return logistic(restSlope * (f.Statement - restEven))
	case f.Subject:
		return logistic(statementSlope * (f.Statement - statementEven))
	default:
		return max(c, anyShare*logistic(anySlope*(f.Statement-anyEven)))
	}
}

// whole returns the confidence from the whole question, without Statement.
func (f Fit) whole() float64 {
	words := logistic(coverageAlone*f.Coverage + aheadAlone*f.WordsAhead - offsetWords)
	meaning := logistic(similarityAlone*f.Similarity + nearAheadAlone*f.NearAhead - offsetMeaning)
	switch {
	case f.Named:
		return 1
	case f.Words && f.Meaning:
		both := logistic(coverageBoth*f.Coverage + aheadBoth*f.WordsAhead + similarityBoth*f.Similarity - offsetBoth)
		if f.Partly {
			both = max(both, words)
		}
		return max(both, meaningShare*meaning)
	case f.Meaning:
		return meaning
	}
	return words
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// StatementCounts reports whether Statement can change the confidence.
func (f Fit) StatementCounts() bool {
	return f.Meaning && !f.Named && (f.Subject || f.whole() >= faint && f.whole() < anyShare)
}

// faint is the confidence from the whole question below which no sentence is similar.
const faint = 0.05

// Known reports whether there is evidence.
func (f Fit) Known() bool { return f.Named || f.Words || f.Meaning }

// Match classifies the evidence; "" without any.
func (f Fit) Match() Match {
	c := f.Confidence()
	switch {
	case !f.Known():
		return ""
	case c >= StrongFrom:
		return Strong
	case c < NoneBelow:
		return None
	}
	return Weak
}
