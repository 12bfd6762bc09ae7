package remote

import (
	"bytes"
	"errors"
	"math"
	"strconv"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Vector is an embedding in JSON: an array of numbers and nothing else. A plain []float32
// would accept null, which some servers write for NaN, as 0.
type Vector []float32

var errNoVector = errors.New("an embedding that is not an array of finite numbers")

// UnmarshalJSON implements json.Unmarshaler.
func (v *Vector) UnmarshalJSON(b []byte) error {
	// b is valid JSON. So in an array without nested arrays, objects and
	// strings, every element between commas is a number or a literal, and
	// otherwise some element does not parse as a number.
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

// check returns the problem with the vectors of an answer to n texts, in words
// that complete "the server answered with". dimensions is 0 when any common
// length is accepted.
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

// unit scales a nonzero vector to length one, in place.
func unit(v Vector) []float32 {
	n := norm(v)
	for i, x := range v {
		v[i] = float32(float64(x) / n)
	}
	return v
}
