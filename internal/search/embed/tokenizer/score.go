package tokenizer

import (
	"math"
	"strconv"
	"strings"
)

// exactPowers is the number of powers of ten that floats represent exactly.
const exactPowers = 22

// score parses a number of a JSON file like the reference's reader: all its digits as one
// integer, divided by a power of ten. The result is not always the nearest float, and can
// decide between two ways to split a row of equal characters with nearly equal sums. Numbers
// with an exponent, or with more digits than fit, are parsed exactly.
func score(number string) (float64, error) {
	digits, negative := strings.CutPrefix(number, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	integer, err := strconv.ParseUint(whole+fraction, 10, 64)
	if err != nil || len(fraction) > exactPowers {
		return strconv.ParseFloat(number, 64)
	}
	value := float64(integer) / math.Pow10(len(fraction))
	if negative {
		return -value, nil
	}
	return value, nil
}
