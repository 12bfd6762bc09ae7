package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb/safetext"
)

// JSON returns value as JSON without a line end, on one line unless it is
// for a person. Runes that a terminal may obey are escaped, which means the
// same in JSON.
func JSON(value any, indent bool) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if indent {
		enc.SetIndent("", "  ")
	}
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return Escape(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// Escape writes dangerous runes of JSON text, which can stand only in its
// strings, as \u escapes.
func Escape(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case r < utf8.RuneSelf && r != 0x7f || !safetext.Dangerous(r):
			out = append(out, text[i:i+n]...)
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += n
	}
	return out
}
