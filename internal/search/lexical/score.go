package lexical

import "math"

// The constants of BM25F (Robertson and Zaragoza, "The Probabilistic Relevance
// Framework: BM25 and Beyond", 2009, 3.4). saturation is its k1, in the middle
// of the range 1.2 to 2 that the paper gives.
const saturation = 1.2

// inflected is the weight of a word found in another inflection than asked
// for: enough less that of two pages, alike but for this, the one with the
// word itself is first.
const inflected = 0.9

// fieldWeights and fieldNorms are the weight of a term in a field, and how
// much longer fields count less (the b of BM25): from not at all, 0, to fully,
// 1. Short fields are named by people with care, so that length says little;
// 0.75 for running text is the customary value.
//
// Summary and headings are part of the truth as well: their weights come on
// top of it. Markup is a tenth of it, so that what an address happens to hold moves
// no page before one that says it.
var (
	fieldWeights = [fieldCount]float64{
		Title: 4, Slug: 2, Aliases: 4, Tags: 3, Summary: 1, Headings: 1, Truth: 1, Timeline: 1,
		Markup: 0.1,
	}
	fieldNorms = [fieldCount]float64{
		Title: 0.3, Slug: 0.3, Aliases: 0.1, Tags: 0.1, Summary: 0.5, Headings: 0.5, Truth: 0.75, Timeline: 0.75,
		Markup: 0.75,
	}
)

// norms holds, for each field and length code, what one occurrence of a term
// there is worth.
type norms [fieldCount][256]float32

// newNorms makes the table for the documents, whose lengths have these sums.
func newNorms(docs int, sums *[fieldCount]int) *norms {
	n := new(norms)
	for f := range n {
		average := float64(sums[f]) / float64(max(docs, 1))
		for code := range n[f] {
			relative := 1.0
			if average > 0 {
				relative = float64(lengthOf(byte(code))) / average
			}
			n[f][code] = float32(fieldWeights[f] / (1 - fieldNorms[f] + fieldNorms[f]*relative))
		}
	}
	return n
}

// rarity is the inverse document frequency of a term that matching of docs
// documents have. It is positive.
func rarity(docs, matching int) float64 {
	return math.Log1p((float64(docs-matching) + 0.5) / (float64(matching) + 0.5))
}

// saturated turns the weighted frequency of a term into its part of a score,
// 0 to saturation+1.
func saturated(frequency float32) float64 {
	f := float64(frequency)
	return f * (saturation + 1) / (f + saturation)
}
