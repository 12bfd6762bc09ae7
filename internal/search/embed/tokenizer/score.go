package tokenizer

import (
	"math"
	"strconv"
	"strings"
)

// exactPowers are how many powers of ten are floats themselves.
const exactPowers = 22

// score reads a number of a JSON file as the reference's reader does: all its
// digits as one integer, divided by a power of ten. That is not always the
// nearest float, and where two ways to split a row of equal characters have
// sums that differ by no more, the reference takes the one that it finds
// better. Numbers with an exponent, or more digits than fit, are read exactly.
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
