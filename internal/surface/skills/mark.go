package skills

import (
	"bytes"
	"fmt"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// mark is the last line of an installed copy. It is a comment, which agents
// ignore, at the end, where any text can have it.
var mark = lazyregexp.New(`(?:^|\n)<!-- installed by cairn: ([0-9a-f]{12}) -->\r?\n?$`)

// Copy returns the text to install.
func (s Skill) Copy() []byte {
	text := bytes.Clone(s.Text)
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	return fmt.Appendf(text, "<!-- installed by cairn: %s -->\n", Hash(text))
}

// Installed reports whether text is a copy that any version of cairn installed
// and nobody edited since.
func Installed(text []byte) bool {
	plain, hash := unmarked(text)
	return hash != "" && hash == Hash(plain)
}

// TextHash returns the hash of a text without its mark, so that a copy and what
// it was made from have the same.
func TextHash(text []byte) string {
	plain, _ := unmarked(text)
	return Hash(plain)
}

// unmarked returns text without its mark, and the hash that the mark holds, ""
// when there is none.
func unmarked(text []byte) (plain []byte, hash string) {
	at := mark().FindSubmatchIndex(text)
	if at == nil {
		return text, ""
	}
	start := at[0]
	if text[start] == '\n' {
		start++
	}
	return text[:start], string(text[at[2]:at[3]])
}
