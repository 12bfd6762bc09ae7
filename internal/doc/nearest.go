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

	// maxNearestSame is the number of lines that decide between parts with the same number
	// of matching words.
	maxNearestSame = 64
)

// NotThere is the cause of an error about a text that was not found in a part of a document.
type NotThere struct {
	text []byte // of the document
	part Span
	old  string
}

func (*NotThere) Error() string { return "text not found" }

// Difference returns the difference between the text and the most similar lines of the part,
// without equal lines. It is empty if no lines have most of its words. hide masks
// credentials in the lines shown, and must not change line breaks.
func (m *NotThere) Difference(hide func([]byte) []byte) string {
	end := min(m.part.End, m.part.Start+maxNearestIn)
	split := func(text []byte) []string {
		return strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	}
	old := []byte(strings.Trim(m.old, "\r\n"))
	wanted, lines := split(old), split(m.text[m.part.Start:end])
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
	have := map[string]int{} // counts of the wanted words in the current lines
	common, size := 0, 0
	best, bestCommon, bestSame, bestSize := -1, 0, 0, 0
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
		if first < 0 || common == 0 || common < bestCommon {
			continue
		}
		same := 0
		for k, w := range wanted[:min(len(wanted), maxNearestSame)] {
			if lines[first+k] == w {
				same++
			}
		}
		if common > bestCommon || same > bestSame || same == bestSame && size < bestSize {
			best, bestCommon, bestSame, bestSize = first, common, same, size
		}
	}
	if bestCommon*2 <= all {
		return ""
	}
	near := lines[best : best+len(wanted)]
	from, to := 0, len(near)
	for from < to-1 && near[from] == wanted[from] {
		from++
	}
	for to > from+1 && near[to-1] == wanted[to-1] {
		to--
	}
	if slices.Equal(near[from:to], wanted[from:to]) { // only the line ends differ
		return ""
	}
	shown := split(hide(m.text)[m.part.Start:end])[best:]
	var b strings.Builder
	fmt.Fprintf(&b, "@@ line %d @@\n", bytes.Count(m.text[:m.part.Start], []byte("\n"))+best+from+1)
	for _, l := range split(hide(old))[from:to] {
		b.WriteString("-" + l + "\n")
	}
	for _, l := range shown[from:to] {
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
