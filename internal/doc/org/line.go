package org

import "bytes"

// lineEnd returns the end of the line at pos without its line end, and the start of the next
// line.
func lineEnd(text []byte, pos int) (end, next int) {
	i := bytes.IndexByte(text[pos:], '\n')
	if i < 0 {
		return len(text), len(text)
	}
	end, next = pos+i, pos+i+1
	if end > pos && text[end-1] == '\r' {
		end--
	}
	return end, next
}

// trimLeft removes indentation.
func trimLeft(line []byte) []byte {
	i := 0
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	return line[i:]
}

// isBlank reports whether a line, given without its line end, is empty.
func isBlank(line []byte) bool { return len(trimLeft(line)) == 0 }

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
