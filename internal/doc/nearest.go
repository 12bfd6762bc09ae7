package doc

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

const (
	maxNearestIn  = 1 << 20 // bytes of a page that are searched
	maxNearestOut = 2 << 10 // bytes of the difference
)

// notThere is the difference between a text that is not in a page and the lines that have
// most of its words: the lines that are not the same. Empty where no lines have the larger part.
func (d *Document) notThere(within Span, old string) string {
	text := d.Text[within.Start:min(within.End, within.Start+maxNearestIn)]
	wanted := strings.Split(strings.Trim(strings.ReplaceAll(old, "\r\n", "\n"), "\n"), "\n")
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	asked := map[string]int{}
	all := 0
	for _, line := range wanted {
		for _, w := range lineWords(line) {
			asked[w]++
			all++
		}
	}
	if all == 0 || len(lines) < len(wanted) {
		return ""
	}
	words := make([][]string, len(lines))
	have := map[string]int{} // of the words that are asked for, in the current lines
	common, size := 0, 0
	best, bestCommon, bestSize := -1, 0, 0
	for i, line := range lines {
		words[i] = lineWords(line)
		for _, w := range words[i] {
			if have[w]++; have[w] <= asked[w] {
				common++
			}
		}
		size += len(words[i])
		first := i - len(wanted) + 1
		if first > 0 {
			for _, w := range words[first-1] {
				if have[w] <= asked[w] {
					common--
				}
				have[w]--
			}
			size -= len(words[first-1])
		}
		if first >= 0 && (common > bestCommon || common == bestCommon && size < bestSize) {
			best, bestCommon, bestSize = first, common, size
		}
	}
	if bestCommon*2 <= all {
		return ""
	}
	near := lines[best : best+len(wanted)]
	line := bytes.Count(d.Text[:within.Start], []byte("\n")) + best + 1
	for len(near) > 1 && near[0] == wanted[0] {
		near, wanted = near[1:], wanted[1:]
		line++
	}
	for last := len(near) - 1; last > 0 && near[last] == wanted[last]; last-- {
		near, wanted = near[:last], wanted[:last]
	}
	if slices.Equal(near, wanted) { // only the ends of lines differ
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "@@ line %d @@\n", line)
	for _, l := range wanted {
		b.WriteString("-" + l + "\n")
	}
	for _, l := range near {
		b.WriteString("+" + l + "\n")
	}
	if b.Len() > maxNearestOut {
		return ""
	}
	return b.String()
}

// lineWords are the words of a line in lower case.
func lineWords(line string) []string {
	return strings.FieldsFunc(strings.ToLower(line), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
