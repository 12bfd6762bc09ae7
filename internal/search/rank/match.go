package rank

import "math"

// Match is how well an answer fits its question.
type Match string

// The matches.
const (
	Strong Match = "strong" // as far as words and meaning show, the answer is there
	Weak   Match = "weak"   // something of it does
	None   Match = "none"   // the results hardly relate to the question
)

// Background is the rank of the page that represents those without an answer:
// the lead of the best page over it separates a question that one page answers
// from one that many mention. Ranks from the fifth to the twentieth made no
// difference.
const Background = 9

// Unrelated is how near texts are with the built-in model that have nothing to do with
// each other: the background of a memory of few pages.
const Unrelated = 0.5

// Hardly is how near a page is at least that is a hit without any word of the question. It is
// higher than Unrelated: in a small memory short pages by one author are often a bit nearer.
// The measured recall is no lower with it.
const Hardly = 0.55

// UnrelatedUnknown is the same for texts in a script that the model does not know, such as Han.
const UnrelatedUnknown = 0.8

// Fit is the evidence that an answer fits its question. Unlike scores it is
// comparable between questions. Unknown values are 0.
type Fit struct {
	Named      bool    // the question is the name of a page
	Words      bool    // the question's words were looked for
	Coverage   float64 // of these words, that one of the best pages holds, by how rare they are: from 0 to 1
	WordsAhead float64 // lead of the best page by words over that of rank Background, relative to the best possible score
	Meaning    bool    // meaning was asked, of the built-in model
	Unread     bool    // the question is in a script that the model does not know, so that words alone count
	Kin        bool    // one of the best pages may have a word of it in another form, then
	Partly     bool    // of some of the pages only, then: the others may be nearer
	Similarity float64 // of the nearest passage among the best pages, then
	NearAhead  float64 // of the page of rank Background, that the nearest is, then
	Subject    bool    // the question names one of the best pages, and asks more
	Read       bool    // their sentences, or those of the best pages, were compared with the question
	Turns      bool    // the question names one who speaks in the dialogues of the answer
	TurnsAhead float64 // how far the best turns about those who are named are ahead of the best about others, by the scores of passages; below 0 when they are behind
	Statement  float64 // nearness of the nearest sentence of those pages to what it asks of them, or of any to the question; without vectors the share of the words that it asks of them
}

// The logistic regressions that turn evidence into confidence, fitted on three sets of
// judged questions with the pages that answer them in the memory and without them:
// docs/benchmarks.md, where cairn's own program fits them again.
const (
	coverageBoth, aheadBoth, similarityBoth, offsetBoth = 2.8, 3.0, 7.7, 7.8
	coverageAlone, aheadAlone, offsetWords              = 3.8, 4.0, 2.8
	similarityAlone, nearAheadAlone, offsetMeaning      = 9.5, 15.5, 7.8
)

// A name in a question makes its page similar, even a page that does not answer it.
// So for such questions the confidence is that of the sentence most similar to the
// rest of the question. For other questions, a sentence shows when words and
// passages underestimate the answer. The values were chosen on the two sets of
// questions of bench/quality/testdata, such that none of the three others is
// separated worse.
const (
	statementSlope, statementEven = 12.0, 0.57
	anySlope, anyEven, anyShare   = 40.0, 0.6, 0.6
)

// restSlope and restEven map nearness to confidence without vectors: the share of
// the question's words, except names, that the page has. A question that
// paraphrases its page has none of these words, and neither has one that the page
// does not answer, so no page is called an answer and no question a gap.
const restSlope, restEven = 4.0, 0.22

// meaningShare is the weight of semantic similarity alone when keywords were
// searched, too. Paraphrased questions are rarer in these sets than in practice; up
// to a half this changes no measured number by more than 0.002, or a share of the
// questions without an answer by more than 6 %.
const meaningShare = 0.5

// The limits of confidence, measured with it. At 0.5 the odds are even, in a mixture
// of as many questions that the memory can answer as others.
const (
	StrongFrom = 0.5
	NoneBelow  = 0.2
)

// turnsSlope and turnsEven map nearness to confidence for turns of a conversation.
// Words about another person answer a question no better than words that nobody
// said. Fitted on the questions of LoCoMo (development half) that name one of the
// two speakers: 679 with an answer, and 235 that swap the speakers. The AUC of all
// its questions is .90, and .54 without this; it was .79 while each turn was taken
// to be about its speaker, also one that asks the other.
const turnsSlope, turnsEven = 6.0, 0.03

// Confidence returns how sure it is that the memory can answer the question, from
// 0 to 1.
func (f Fit) Confidence() float64 {
	c := f.answered()
	if f.Turns && !f.Named {
		c = min(c, max(NoneBelow, logistic(turnsSlope*(f.TurnsAhead-turnsEven)))) // weak at the least: the subject is there
	}
	if f.Unread && (f.Coverage > 0 || f.Kin) {
		c = max(c, sharedUnread)
	}
	return c
}

// sharedUnread is the least confidence where a page shares words with a question in a script that
// the model does not know: words of most of these are pairs of characters, and a question in
// other words or forms than its page shares few of them. It is weak, and not a gap.
const sharedUnread = 0.3

// answered is the confidence without regard to who speaks.
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

// whole is the confidence by the whole question, without Statement.
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

// faint is the confidence by the whole question below which no sentence is near.
const faint = 0.05

// Known reports whether there is evidence.
func (f Fit) Known() bool { return f.Named || f.Words || f.Meaning }

// Match returns the conclusion from the evidence; "" without any.
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
