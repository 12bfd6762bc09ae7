package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalizer is a step that is applied to a text before it is split.
type normalizer interface {
	normalize(text string) string
}

// normalizeAll applies the steps in order. The reference accepts only valid
// text, so invalid bytes are replaced first.
func normalizeAll(steps []normalizer, text string) string {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	for _, s := range steps {
		text = s.normalize(text)
	}
	return text
}

// form is one of Unicode's normal forms.
type form struct{ norm.Form }

func (f form) normalize(text string) string { return f.String(text) }

// strip removes white space from the ends.
type strip struct{ left, right bool }

func (s strip) normalize(text string) string {
	if s.left {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	if s.right {
		text = strings.TrimRightFunc(text, unicode.IsSpace)
	}
	return text
}

// replace replaces a text by another.
type replace struct{ old, new string }

func (r replace) normalize(text string) string { return strings.ReplaceAll(text, r.old, r.new) }

// squeeze replaces two or more spaces by a text.
type squeeze struct{ new string }

func (s squeeze) normalize(text string) string {
	var b strings.Builder
	for {
		at := strings.Index(text, "  ")
		if at < 0 {
			break
		}
		b.WriteString(text[:at])
		b.WriteString(s.new)
		text = strings.TrimLeft(text[at:], " ")
	}
	b.WriteString(text)
	return b.String()
}
