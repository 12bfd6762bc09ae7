package relational

import (
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// lowerASCII returns s with its ASCII letters in lower case, as lower() of SQL does.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func lowered(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = lowerASCII(s)
	}
	return out
}

// foldText returns s in the form for comparison without regard to case: composed and case
// folded, so that both encodings of "É" equal "é".
func foldText(s string) string {
	ascii, lower := true, true
	for i := range len(s) {
		c := s[i]
		if c >= 0x80 {
			ascii = false
			break
		}
		if 'A' <= c && c <= 'Z' {
			lower = false
		}
	}
	if !ascii {
		return norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
	}
	if lower {
		return s
	}
	return lowerASCII(s)
}
