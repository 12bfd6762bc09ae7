package secrets

import "slices"

// maskByte replaces each byte of a hidden value. It is a letter because
// punctuation could become a heading, a list or a rule in Markdown or Org.
const maskByte = 'x'

// Mask returns a copy of text with the spans of findings overwritten. Length,
// lines and everything outside the spans stay, so that line numbers and offsets
// in an index of the masked text are valid for the file. Spans or parts of
// spans outside text are ignored. So is the indentation of a line, which YAML needs.
func Mask(text []byte, findings []Finding) []byte {
	out := slices.Clone(text)
	for _, f := range findings {
		begins := false
		for i := max(0, f.Start); i < min(f.End, len(out)); i++ {
			if begins = isBreak(out[i]) || begins && isBlank(out[i]); !begins {
				out[i] = maskByte
			}
		}
	}
	return out
}

// Hide returns text with every credential masked: text itself when it has none.
func Hide(text []byte) []byte {
	found := Scan(text, Options{})
	if len(found) == 0 {
		return text
	}
	return Mask(text, found)
}
