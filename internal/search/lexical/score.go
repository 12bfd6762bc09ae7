package lexical

import "math/bits"

// The constants of BM25F (Robertson and Zaragoza, "The Probabilistic Relevance
// Framework: BM25 and Beyond", 2009, 3.4). saturation is its k1, in the middle
// of the range 1.2 to 2 that the paper gives.
const saturation = 1.2

// inflected is the weight of a word found in another inflection than in the query. It is low
// enough that of two pages that differ only in this, the one with the word itself comes
// first.
const inflected = 0.9

// fieldWeights and fieldNorms are the weight of a term in a field, and the strength of
// length normalisation (the b of BM25), from 0 (none) to 1 (full). People word short fields
// carefully, so their length matters little; 0.75 is the customary value for running text.
//
// Summary and headings are also part of the truth: their weights are additional. Markup has
// a tenth of its weight, so that a word in an address does not rank a page above one with
// the word in its text.
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

// norms holds, for each field and length code, the weight of one occurrence of
// a term.
type norms [fieldCount][256]float32

// newNorms computes the table for documents with these sums of lengths.
func newNorms(docs int, sums *[fieldCount]int) *norms {
	n := new(norms)
	for f := range n {
		for code := range n[f] {
			n[f][code] = normOf(f, byte(code), docs, sums)
		}
	}
	return n
}

// normOf returns the weight of one occurrence in a field of a length.
func normOf(f int, code byte, docs int, sums *[fieldCount]int) float32 {
	average, relative := float64(sums[f])/float64(max(docs, 1)), 1.0
	if average > 0 {
		relative = float64(lengthOf(code)) / average
	}
	return float32(fieldWeights[f] / (1 - fieldNorms[f] + float64(fieldNorms[f]*relative)))
}

// saturated converts the weighted frequency of a term to its part of a score, 0 to
// saturation+1.
func saturated(frequency float32) float64 {
	f := float64(frequency)
	return f * (saturation + 1) / (f + saturation)
}

// weigher computes the weights of words in the documents of a segment.
type weigher struct {
	norms *norms
	codes *[fieldCount][]byte // of lengths
}

// weigh sums up the frequencies of the fields in wanted; frequencies has those of all fields
// in all. It rounds in the same way on every machine.
func (w weigher) weigh(ord uint32, all, wanted FieldSet, frequencies []uint32) float32 {
	if all == onlyTruth && wanted.Has(Truth) && w.codes[Truth] != nil {
		return float32(frequencies[0]) * w.norms[Truth][w.codes[Truth][ord]]
	}
	sum, i := float32(0), 0
	for rest := uint16(all); rest != 0; rest &= rest - 1 {
		f := bits.TrailingZeros16(rest)
		if wanted.Has(Field(f)) {
			code := byte(0)
			if w.codes[f] != nil {
				code = w.codes[f][ord]
			}
			sum += float32(float32(frequencies[i]) * w.norms[f][code])
		}
		i++
	}
	return sum
}

// stretch returns, per field, the maximum factor by which the weight of a posting exceeds
// that computed with the averages of its own segment.
func stretch(docs int, sums *[fieldCount]int, own *table) (by [fieldCount]float32) {
	for f := range by {
		by[f] = 1
		average, owned := float64(sums[f])/float64(max(docs, 1)), float64(own.sums[f])/float64(max(own.docs, 1))
		switch {
		case owned > 0 && average > owned:
			by[f] = float32(average / owned)
		case owned == 0 || average == 0: // if one of them is 0, lengths do not count
			by[f] = float32(1 / (1 - fieldNorms[f]))
		}
	}
	return by
}

// roomy is a safety factor for bounds computed from rounded numbers.
const roomy = 1 + 1e-5

// stretched returns an upper bound of the weight of postings in some fields, given the bound
// by the averages of their segment.
func (s *segment) stretched(weight float32, fields FieldSet) float32 {
	most := float32(1)
	for rest := uint16(fields); rest != 0; rest &= rest - 1 {
		most = max(most, s.stretch[bits.TrailingZeros16(rest)])
	}
	return weight * most * roomy
}
