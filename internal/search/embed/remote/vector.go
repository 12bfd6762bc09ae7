package remote

import (
	"bytes"
	"errors"
	"math"
	"strconv"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Vector is an embedding as it stands in JSON: an array of numbers and of
// nothing else. Plain []float32 would take null, which is how some servers
// write NaN, for 0.
type Vector []float32

var errNoVector = errors.New("an embedding that is not an array of finite numbers")

// UnmarshalJSON implements json.Unmarshaler.
func (v *Vector) UnmarshalJSON(b []byte) error {
	// b is valid JSON, so what stands between the commas of an array without
	// arrays, objects and strings in it is a number or a word; and of what
	// stands between them otherwise, something is no number.
	inner, isArray := bytes.CutPrefix(b, []byte("["))
	if !isArray {
		return errNoVector
	}
	inner = bytes.TrimSpace(bytes.TrimSuffix(inner, []byte("]")))
	*v = make(Vector, 0, bytes.Count(inner, []byte(","))+1)
	if len(inner) == 0 {
		return nil
	}
	for number := range bytes.SplitSeq(inner, []byte(",")) {
		f, err := strconv.ParseFloat(string(bytes.TrimSpace(number)), 32)
		if err != nil {
			return errNoVector
		}
		*v = append(*v, float32(f))
	}
	return nil
}

// check says what is wrong with the vectors of an answer to n texts, in
// words that complete "the server answered with". dimensions is 0 when any
// length will do that is the same for all.
func check(vectors []Vector, n, dimensions int) *kb.Error {
	if len(vectors) != n {
		return kb.Errorf(kb.Internal, "%d embeddings for %d texts", len(vectors), n)
	}
	for _, v := range vectors {
		if dimensions == 0 {
			dimensions = len(v)
		}
		if len(v) != dimensions || len(v) == 0 {
			return kb.Errorf(kb.Usage, "embeddings of %d dimensions, not %d", len(v), dimensions).
				WithHint("the model of this name became another one: remove it, and add it again").
				With("dimensions", len(v))
		}
		if norm(v) == 0 {
			return kb.Errorf(kb.Internal, "an embedding that is all zeros")
		}
	}
	return nil
}

// norm returns the length of a vector.
func norm(v Vector) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

// unit brings a vector that is not zero to length one, in place.
func unit(v Vector) []float32 {
	n := norm(v)
	for i, x := range v {
		v[i] = float32(float64(x) / n)
	}
	return v
}
