package embedtest

import (
	"hash/fnv"
	"math"
	"strings"
	"unicode"
)

// WordVector replaces a model in tests. It returns a unit vector with one direction for each
// word, so that texts with common words are similar, and a direction shared by all, so that
// no vector is zero.
func WordVector(text string, dimensions int) []float32 {
	v := make([]float32, dimensions)
	v[0] = 1
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		hash := fnv.New32a()
		// A hash writes to memory and does not fail.
		_, _ = hash.Write([]byte(word))
		v[int(hash.Sum32()%uint32(dimensions))] = 1
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}
