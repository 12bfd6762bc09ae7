package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb/safetext"
)

// JSON returns value as JSON without a line end, on one line unless it is
// for a person. Runes that a terminal may obey are escaped, which means the
// same in JSON.
func JSON(value any, indent bool) ([]byte, error) {
	var b bytes.Buffer
	err := WriteJSON(&b, value, indent)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// WriteJSON writes what JSON returns, and a line end, without a copy of it. It writes
// nothing of a value that cannot be written as JSON.
func WriteJSON(w io.Writer, value any, indent bool) error {
	enc := json.NewEncoder(escaping{w})
	enc.SetEscapeHTML(false)
	if indent {
		enc.SetIndent("", "  ")
	}
	return enc.Encode(value)
}

// escaping writes JSON text with Escape, in parts. Each write is whole runes.
type escaping struct{ to io.Writer }

const escapedAtOnce = 64 << 10

func (e escaping) Write(text []byte) (n int, err error) {
	for n < len(text) {
		end := min(n+escapedAtOnce, len(text))
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		if _, err := e.to.Write(Escape(text[n:end])); err != nil {
			return n, err
		}
		n = end
	}
	return n, nil
}

// Escape writes dangerous runes of JSON text, which can occur only in its
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
