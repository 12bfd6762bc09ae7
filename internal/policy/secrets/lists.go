package secrets

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// addFinders adds what takes more than an expression to find.
func (t *table) addFinders() {
	add := func(find finder, anchors ...string) {
		for _, a := range anchors {
			t.index.code(a, find)
		}
	}
	add(skipData, ";base64,")
	add(findAWSPair, "akia", "asia")
	add(findPEM, "-----begin ")
	add(findPuTTY, "private-lines:")
	add(findEncodedPEM, lowered(encodedPEM))
	add(findAssigned, t.Names["anchors"]...)
	add(findSeed, t.Names["seed"]...)
	for class, name := range map[class]string{chosen: "password", pin: "pin", generated: "token", noClass: "code"} {
		add(findInSentence(class), t.Names["told-"+name]...)
		add(findBeyond(class), t.Names["beyond-"+name]...)
	}
	add(findCodes, "code")
}

// Limits on tables and lists.
const (
	maxHead    = 500 // bytes of a header before and after a name in it
	maxColumns = 16
	maxGap     = 80 // the text between a label and its list
	maxCodes   = 40
)

// isColumnEnd reports whether a cell of a table may end at i.
func isColumnEnd(text []byte, i int) bool {
	i = skipAny(text, i, "\"'`* ", 40)
	return i >= len(text) || strings.IndexByte("|,;\t\r\n", text[i]) >= 0
}

// column finds the passwords below text[start:stop], if that is a cell in the
// first line of a table: Markdown, Org or values between the same signs.
func (s *scanner) column(start, stop int) {
	text := s.text
	first := max(0, start-maxHead)
	first += 1 + bytes.LastIndexByte(text[first:start], '\n')
	last := lineEnd(text[:min(len(text), stop+maxHead)], stop)
	head := text[first:last]
	sep := byte(0)
	for _, c := range []byte("|\t;,") {
		if bytes.IndexByte(head, c) >= 0 {
			sep = c
			break
		}
	}
	col := bytes.Count(text[first:start], []byte{sep})
	if sep == 0 || col >= maxColumns || first > 0 && s.inTable(first-1, sep) ||
		!bytes.Equal(cellOf(head, sep, col), text[start:stop]) {
		return
	}
	class := classify(text[start:stop])
	if class == noClass || class == pin {
		return
	}
	columns := bytes.Count(head, []byte{sep})
	for i := last + 1; i < len(text); {
		end := lineEnd(text, i)
		row := text[i:end]
		s.work += len(row)
		if n := bytes.Count(row, []byte{sep}); n == 0 || sep != '|' && n != columns {
			return
		}
		v := cellOf(row, sep, col)
		if class == chosen && gradeOf(v) >= odd ||
			class != chosen && len(v) >= minGenerated && opaque.all(v) && isRandom(v) && !isPlaceholder(v) {
			at := i + cellStart(row, sep, col) + bytes.Index(row[cellStart(row, sep, col):], v)
			s.add(builtin().byID["password-column"], at, at+len(v), false)
		}
		i = end + 1
	}
}

// inTable reports whether the line that ends at end is a row: then the next one
// is not a header.
func (s *scanner) inTable(end int, sep byte) bool {
	line := s.text[max(0, end-maxHead):end]
	line = bytes.TrimSpace(line[1+bytes.LastIndexByte(line, '\n'):])
	s.work += len(line)
	if sep == '|' {
		return bytes.IndexByte(line, sep) >= 0
	}
	return len(line) > 0 && !bytes.HasPrefix(line, []byte("```"))
}

// cellStart returns where the cell with this number begins in a row.
func cellStart(row []byte, sep byte, n int) int {
	at := 0
	for ; n > 0; n-- {
		i := bytes.IndexByte(row[at:], sep)
		if i < 0 {
			return len(row)
		}
		at += i + 1
	}
	return at
}

func cellOf(row []byte, sep byte, n int) []byte {
	cell := row[cellStart(row, sep, n):]
	if i := bytes.IndexByte(cell, sep); i >= 0 {
		cell = cell[:i]
	}
	return bytes.Trim(cell, " \t\r\"'`*")
}

// findSeed finds the words of a wallet behind a label.
func findSeed(s *scanner, at, end int) {
	text := s.text
	limit := lineEnd(text[:min(len(text), end+maxGap)], end)
	i := end
	for i < limit && text[i] != ':' && text[i] != '=' && !isSaid(text[end:i+1]) && !bytes.HasPrefix(text[i:], []byte("：")) {
		i++
	}
	if i < limit && text[i] >= utf8.RuneSelf {
		i += len("：")
	}
	if i == limit && !startsWord(text, at) {
		return
	}
	const longest = 24
	var words [][]byte
	first, last := 0, 0
	for len(words) <= longest {
		i = skipAny(text, i, " \t\r\n0123456789.)-*\"`|>:=", 24)
		stop := s.run(smalls, i, 9)
		w := text[i:stop]
		if len(w) < 3 || len(w) > 8 || !endsWord(text, stop) || listed("messages", string(w)) {
			break
		}
		if len(words) == 0 {
			first = i
		}
		words = append(words, w)
		i, last = stop, stop
	}
	switch len(words) {
	case 12, 15, 18, 21, longest:
	default:
		return
	}
	different := map[string]bool{}
	for _, w := range words {
		different[string(w)] = true
	}
	if len(different)*4 >= len(words)*3 {
		s.add(builtin().byID["seed-phrase"], first, last, false)
	}
}

// isSaid reports whether before ends in a word such as is, and a blank: a value
// follows.
func isSaid(before []byte) bool {
	if len(before) == 0 || !isBlank(before[len(before)-1]) {
		return false
	}
	before = before[:len(before)-1]
	word := before[smalls.back(before, len(before), 8):]
	return len(word) > 1 && listed("is", string(word))
}

// findCodes finds the codes of a list after the word code, when the words
// before it describe them as access codes.
func findCodes(s *scanner, at, end int) {
	text := s.text
	before := bytes.ToLower(text[max(0, at-24):at])
	s.work += len(before)
	known := false
	for _, w := range builtin().Names["codes"] {
		known = known || bytes.Contains(before, []byte(w))
	}
	i := skipAny(text, end, "s", 1)
	if !known || !endsWord(text, i) {
		return
	}
	var found [][2]int
	for gap, near := i, true; i < len(text) && i-gap < maxGap && len(found) < maxCodes; {
		from := skipAny(text, i, " \t\r\n.,;:=*-`'\"|/[](){}_", 16)
		code, stop := codeAt(text, from)
		s.work += stop - from + 1
		if isAccessCode(code) {
			if !near && len(found) == 0 && !isAccessCode(nextCode(text, stop)) {
				return
			}
			found = append(found, [2]int{from, stop})
			gap = stop
		} else if from < stop {
			near = false
		}
		i = max(stop, from+1)
	}
	for _, f := range found {
		s.add(builtin().byID["recovery-code"], f[0], f[1], false)
	}
}

// codeAt returns a possible code at i, and its end. Two separate groups of
// digits are returned with a hyphen between them.
func codeAt(text []byte, i int) (code []byte, stop int) {
	stop = base64URL.run(text, i, maxToken)
	if n := stop - i; (n == 3 || n == 4) && stop+1+n <= len(text) && text[stop] == ' ' && decimals.all(text[i:stop]) && decimals.all(text[stop+1:stop+1+n]) && endsWord(text, stop+1+n) {
		stop += 1 + n
	}
	return bytes.ReplaceAll(text[i:stop], []byte(" "), []byte("-")), stop
}

func nextCode(text []byte, i int) []byte {
	code, _ := codeAt(text, skipAny(text, i, " \t\r\n,;*-`'\"|", 16))
	return code
}

// isAccessCode reports whether v is one code of such a list: digits, or equal
// groups with a digit among them.
func isAccessCode(v []byte) bool {
	groups := bytes.Split(v, []byte("-"))
	joined := bytes.Join(groups, nil)
	for _, g := range groups {
		if len(g) != len(groups[0]) || len(g) < 3 || !alnum.all(g) {
			return false
		}
	}
	return len(joined) >= 6 && len(joined) <= 32 && (len(joined) >= 8 || decimals.all(joined)) &&
		bytes.ContainsAny(joined, digits) && !isFiller(joined)
}
