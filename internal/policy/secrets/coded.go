package secrets

import (
	"encoding/base64"
	"encoding/hex"
	"unicode/utf8"
)

// minCoded is the length from which a run of base64 is decoded, and minWrapped that from
// which it goes on in the next line.
const (
	minCoded   = 24
	minWrapped = 60
)

// coded calls look with the text of each run of base64 or hexadecimal digits that holds
// text, as secrets of Kubernetes and mail do.
func coded(text []byte, look func(*view)) {
	for i := minCoded; i <= len(text); {
		start := base64Run.back(text, i, minCoded)
		if start > i-minCoded {
			i = start + minCoded
			continue
		}
		end := base64Run.run(text, i, len(text))
		if i = end + minCoded; len(decoded(text[start:start+minCoded])) < minCoded/2 {
			continue
		}
		for from := start; end-from >= minWrapped; {
			next := 0
			if from, next = codedLine(text, end); from == next {
				break
			}
			end = next
		}
		i = end + minCoded
		plain := decoded(text[start:end])
		look(&view{text: plain, parts: []part{{0, len(plain), start, end}}})
	}
}

// codedLine returns the run on the line after the one that ends at i, which nothing but padding
// and the end of a string follows: a key or a sentence begins in another way. It is empty where
// there is none.
func codedLine(text []byte, i int) (from, to int) {
	from = skipAny(text, i, "\r", 1)
	if from == len(text) || text[from] != '\n' {
		return i, i
	}
	from = skipAny(text, from+1, "\t ", maxName)
	to = base64Run.run(text, from, len(text))
	if end := skipAny(text, to, "=", 2); end < len(text) && !codedEnds[text[end]] {
		return i, i
	}
	return from, to
}

// decoded returns the text that a coded run begins with.
func decoded(run []byte) []byte {
	code := make([]byte, 0, len(run))
	for _, b := range run {
		switch {
		case b == '-':
			b = '+'
		case b == '_':
			b = '/'
		case !base64Run[b]:
			continue
		}
		code = append(code, b)
	}
	decode := base64.RawStdEncoding.Decode
	switch {
	case hexDigits.all(code):
		decode = hex.Decode
	case len(code)%4 == 1:
		code = code[:len(code)-1]
	}
	n, _ := decode(code, code) // it has no other characters
	plain := code[:n]
	for i := 0; i < n; {
		r, size := utf8.DecodeRune(plain[i:])
		if r == utf8.RuneError && size == 1 && n-i >= utf8.UTFMax || r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f {
			return plain[:i]
		}
		i += size
	}
	return plain
}
