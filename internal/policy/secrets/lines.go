package secrets

import "bytes"

// lineReader numbers lines for spans that come in order, and reads each line
// at most once.
type lineReader struct {
	text       []byte
	number     int
	start, end int // the current line, without its line feed
	read       bool
	allowed    bool
}

// cover returns the number of the line on which [start, end) begins, and
// whether any line that it touches carries the mark.
func (l *lineReader) cover(start, end int) (number int, allowed bool) {
	for start > l.end {
		l.next()
	}
	number = l.number
	for {
		allowed = allowed || l.marked()
		if end <= l.end+1 || l.end == len(l.text) {
			return number, allowed
		}
		l.next()
	}
}

func (l *lineReader) next() {
	l.start = l.end + 1
	l.end = lineEnd(l.text, l.start)
	l.number++
	l.read = false
}

func (l *lineReader) marked() bool {
	if !l.read {
		l.read, l.allowed = true, hasMark(l.text[l.start:l.end])
	}
	return l.allowed
}

// hasMark reports whether line carries the mark as a word of its own.
func hasMark(line []byte) bool {
	for {
		i := bytes.Index(line, []byte(allowMark))
		if i < 0 {
			return false
		}
		line = line[i+len(allowMark):]
		if len(line) == 0 || !wordByte[line[0]] {
			return true
		}
	}
}

func lineEnd(text []byte, from int) int {
	if i := bytes.IndexByte(text[from:], '\n'); i >= 0 {
		return from + i
	}
	return len(text)
}
