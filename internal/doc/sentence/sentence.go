package sentence

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
)

// Split returns the sentences of a paragraph, without the blanks between them.
func Split(text string) (out []string) {
	for _, s := range Spans([]byte(text)) {
		out = append(out, text[s.Start:s.End])
	}
	return out
}

// First returns the first sentence of a paragraph.
func First(text string) string {
	if spans := Spans([]byte(text)); len(spans) > 0 {
		return text[spans[0].Start:spans[0].End]
	}
	return ""
}

// Spans returns the spans of the sentences of a paragraph, without the blanks between them.
func Spans(text []byte) (out []doc.Span) {
	whole := markup(text)
	start := blanks(text, 0)
	add := func(end int) {
		if end > start {
			out = append(out, doc.Span{Start: start, End: len(bytes.TrimRight(text[:end], " \t\r\n"))})
		}
		start = blanks(text, end)
	}
	for i := start; i < len(text); {
		if len(whole) > 0 && whole[0].Start <= i {
			m := whole[0]
			whole = whole[1:]
			if m.End <= i {
				continue
			}
			i = m.End
			// "**Bold.** Next": the mark is the last of the emphasis.
			if last := lastMark(text, m); m.emphasis && last > m.Start {
				if end, ends := End(text, start, last); ends && end >= m.End {
					add(end)
					i = max(i, start)
				}
			}
			continue
		}
		end, ends := End(text, start, i)
		if ends && end < len(text) {
			add(end)
			end = start
		}
		i = max(end, i+1)
	}
	add(len(text))
	return out
}

// lastMark returns the position of the mark before the closing delimiters of an emphasis.
func lastMark(text []byte, m inline) int {
	inner := bytes.TrimRight(text[m.Start:m.End], "*_~/+=")
	_, n := utf8.DecodeLastRune(inner)
	return m.Start + len(inner) - n
}

// End reports whether the character at i of a paragraph ends the sentence that starts at
// start, and the end of that sentence: after closing marks. If it does not, end is the
// position after the character.
func End(text []byte, start, i int) (end int, ends bool) {
	if c := text[i]; c < utf8.RuneSelf && c != '.' && c != '!' && c != '?' {
		return i + 1, false
	}
	return markEnd(text, start, i)
}

// markEnd is End for a character that may be a mark.
func markEnd(text []byte, start, i int) (end int, ends bool) {
	r, n := utf8.DecodeRune(text[i:])
	end = i + n
	switch r {
	case '.', '!', '?', '…', '؟', '۔', '।', '॥':
		end = closing(text, end)
		next := blanks(text, end)
		if next == end && next < len(text) {
			return end, false
		}
		if next == len(text) {
			return end, true
		}
		return end, !goesOn(text, start, i, next)
	case '。', '！', '？', '｡', '．':
		if d, _ := utf8.DecodeRune(text[end:]); r == '．' && unicode.IsDigit(d) {
			return end, false
		}
		inner := end
		end = closing(text, end)
		d, _ := utf8.DecodeRune(text[end:])
		quoted := end > inner && unicode.Is(unicode.Hiragana, d) // 「行く。」と言った
		return end, !quoted
	}
	return end, false
}

// goesOn reports whether the sentence continues after the mark at i; next is the start of
// the next word.
func goesOn(text []byte, start, i, next int) bool {
	first, _ := utf8.DecodeRune(text[next:])
	if unicode.IsLower(first) {
		return true
	}
	if text[i] != '.' || i > start && text[i-1] == '.' {
		return false
	}
	word := string(text[wordStart(text, start, i):i])
	following := firstWord(text[next:])
	lower := strings.ToLower(word)
	digit := unicode.IsDigit(first)
	switch {
	case word == "":
		return false
	case strings.Trim(word, "0123456789") == "":
		return ordinal(text, start, i-len(word), word, following)
	case titles[lower] && isUpper(word), introducing[lower]:
		return true
	case numbering[lower] && digit:
		return true
	case lower == "co" && companies[following]:
		return true
	case ending[lower]:
		return false
	case abbreviated(word), isInitial(word), doubtful[lower]:
		return !starters[strings.ToLower(following)]
	}
	return false
}

// wordStart returns the start of the word before i.
func wordStart(text []byte, start, i int) int {
	from := max(start, i-24)
	if n := bytes.LastIndexAny(text[from:i], " \t\r\n([{\"'*_`/—–"); n >= 0 {
		_, size := utf8.DecodeRune(text[from+n:])
		from += n + size
	}
	for from < i && !utf8.RuneStart(text[from]) {
		from++
	}
	for from < i {
		r, n := utf8.DecodeRune(text[from:i])
		if !strings.ContainsRune("“”„«»‘’「『（¿¡", r) {
			break
		}
		from += n
	}
	return from
}

// firstWord returns the first word of a text, without marks in front of it.
func firstWord(text []byte) string {
	text = bytes.TrimLeftFunc(text[:min(len(text), 40)], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	n := bytes.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\'' && r != 0x2019 })
	if n < 0 {
		n = len(text)
	}
	word, _, _ := strings.Cut(strings.ReplaceAll(string(text[:n]), "’", "'"), "'")
	return word
}

// isInitial reports whether a word is a letter of a script with abbreviations.
func isInitial(word string) bool {
	r, n := utf8.DecodeRuneInString(word)
	return n == len(word) && unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek)
}

func isUpper(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r)
}

// abbreviated reports whether a word is letters between full stops, as "e.V", "Ph.D"
// and "U.S"; "main.go" and "1.2" are not.
func abbreviated(word string) bool {
	parts := strings.Split(word, ".")
	for _, p := range parts {
		if n := utf8.RuneCountInString(p); n < 1 || n > 2 || strings.ContainsFunc(p, func(r rune) bool { return !unicode.IsLetter(r) }) {
			return false
		}
	}
	return len(parts) > 1
}

// ordinal reports whether the full stop after a number makes it one in a list or a
// date: "1. First step", "am 3. Mai".
func ordinal(text []byte, start, at int, number, following string) bool {
	before := bytes.TrimSpace(text[start:at])
	if len(before) == 0 {
		return len(number) <= 3
	}
	if len(number) > 2 {
		return false
	}
	if ordered[strings.ToLower(following)] {
		return true
	}
	words := strings.Fields(strings.ToLower(string(before[max(0, len(before)-12):])))
	return len(words) > 0 && articles[words[len(words)-1]]
}

// closing returns the end of the marks that may follow the end of a sentence, such as
// quotes and the number of a footnote.
func closing(text []byte, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRune(text[i:])
		if r == '[' {
			if n = footnote(text[i:]); n == 0 {
				break
			}
		} else if !strings.ContainsRune(".!?…。！？\"')]}*_`~”’»」』）", r) {
			break
		}
		i += n
	}
	return i
}

// footnote returns the length of "[1]" or "[^note]", 0 for anything else.
func footnote(text []byte) int {
	n := bytes.IndexByte(text[:min(len(text), 24)], ']')
	if n < 2 {
		return 0
	}
	inner := text[1:n]
	if inner[0] == '^' || len(bytes.Trim(inner, "0123456789")) == 0 {
		return n + 1
	}
	return 0
}

func blanks(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n' || bytes.HasPrefix(text[i:], []byte("\u3000"))) {
		if text[i] >= utf8.RuneSelf {
			i += len("\u3000")
			continue
		}
		i++
	}
	return i
}
