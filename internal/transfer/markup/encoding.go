package markup

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// declared finds the encoding that an HTML document declares.
var declared = lazyregexp.New(`(?i)<meta[^<>]+charset=["' ]*([a-z0-9_-]+)|^\s*<\?xml[^<>]+encoding=["']([a-z0-9_-]+)`)

// Decoded is the text of an HTML document.
type Decoded struct {
	Text    string
	Damaged int    // invalid bytes, and occurrences of U+FFFD
	Guessed string // the encoding, if it was guessed; "" if it is certain
}

// Decode decodes the bytes of an HTML document. An unknown encoding is kb.Invalid.
func Decode(b []byte) (d Decoded, err error) {
	name, guess := "utf-8", false
	if hasOrder(b) {
		name = "utf-16"
	} else if seven, unsaid := sevenBits(b); seven != "" {
		name, guess = seven, unsaid
	} else if !utf8.Valid(b) {
		name, guess = encodingOf(b)
	}
	if guess {
		d.Guessed = name
	}
	switch name {
	case "utf-8":
		d.Text = strings.ToValidUTF8(string(b), "\ufffd")
		_, d.Damaged = sequences(b)
	case "utf-16":
		d.Text = fromUTF16(b)
	case "":
		return Decoded{}, kb.Errorf(kb.Invalid, "it is not UTF-8, and declares no encoding: convert it to UTF-8")
	default:
		text, known := read(b, name)
		if !known {
			return Decoded{}, kb.Errorf(kb.Invalid, "its text is in the encoding %s: convert it to UTF-8, such as with iconv -f %s -t UTF-8", name, name)
		}
		d.Text, d.Damaged = text, strings.Count(text, "\ufffd")
	}
	if d.Text = strings.TrimPrefix(d.Text, "\ufeff"); d.Text == "" || strings.ContainsRune(d.Text, 0) {
		return Decoded{}, errors.New("it is not text")
	}
	return d, nil
}

// hasOrder reports whether a text starts with a byte order mark of UTF-16.
func hasOrder(b []byte) bool {
	return bytes.HasPrefix(b, []byte{0xff, 0xfe}) || bytes.HasPrefix(b, []byte{0xfe, 0xff})
}

// encodingOf returns the encoding of a text that is not valid UTF-8: the one that its bytes
// show, else the declared one, else a guess: Windows-1252 if the text looks like it, or an
// East Asian encoding; "" if it is unknown.
func encodingOf(b []byte) (name string, guess bool) {
	whole, damaged := sequences(b)
	if whole > 3*damaged {
		return "utf-8", false
	}
	switch name = declaredBy(b); name {
	case "iso-8859-1", "iso8859-1", "latin1", "latin-1", "ascii", "us-ascii", "cp1252", "windows-1252": // browsers read all of these as Windows-1252
		if !isLatin(b) { // else the declaration may be wrong
			if other := guessed(b); other != "" {
				return other, true
			}
		}
		return "windows-1252", false
	case "utf-8", "utf8", "":
		if (name == "" || whole == 0) && isLatin(b) {
			return "windows-1252", true
		}
		if name == "" || damaged > whole { // else the declaration is right
			if other := guessed(b); other != "" {
				return other, true
			}
		}
		return strings.ReplaceAll(name, "utf8", "utf-8"), false
	}
	return name, false
}

// declaredBy returns the encoding that a text declares; "" for none.
func declaredBy(b []byte) string {
	m := declared().FindSubmatch(b[:min(len(b), 4<<10)])
	if m == nil {
		return ""
	}
	name := strings.ToLower(string(m[1]) + string(m[2]))
	if strings.HasPrefix(name, "utf-16") {
		return "utf-8" // like browsers: in UTF-16 the declaration itself would be unreadable
	}
	return name
}

// sevenBits returns the East Asian encoding of a text that consists of ASCII bytes and
// switches to it by escape sequences or ~{; "" for any other text.
func sevenBits(b []byte) (encoding string, guess bool) {
	if bytes.ContainsFunc(b, func(r rune) bool { return r >= 0x80 }) {
		return "", false
	}
	switch name := declaredBy(b); {
	case bytes.Contains(b, []byte("\x1b$)C")):
		return "iso-2022-kr", false
	case bytes.Contains(b, []byte("\x1b$)A")), bytes.Contains(b, []byte("\x1b$)G")):
		return "iso-2022-cn", false
	case (name == "iso-2022-jp" || name == "csiso2022jp") && bytes.Contains(b, []byte("\x1b$")):
		return "iso-2022-jp", false
	case isISO2022JP(b):
		return "iso-2022-jp", true
	case strings.HasPrefix(name, "hz-gb") && bytes.Contains(b, []byte("~{")):
		return "hz-gb-2312", false
	case isHZ(b):
		return "hz-gb-2312", true
	}
	return "", false
}

// sequences counts the valid multi-byte sequences of UTF-8, and the bytes outside of them.
func sequences(b []byte) (whole, damaged int) {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n == 1:
			damaged++
		case n > 1:
			whole++
		}
		b = b[n:]
	}
	return whole, damaged
}

// latinWord is a word of ASCII letters and letters of Western Europe, or a symbol. Words of
// other scripts, read as Latin-1, have runs of such letters, or symbols within.
var latinWord = lazyregexp.New(`^(?:[àáåèéóöÀÁÅÈÉÓÖ]|[¢-©¬®-µ¶¸-º¼-¾×÷]|` +
	`[ªº°µ§©]?[À-ÏÑ-ÖØ-Üß-ïñ-öø-üÿŒœŠšŽžŸ]{0,2}(?:[A-Za-z]+[À-ÏÑ-ÖØ-Üß-ïñ-öø-üÿŒœŠšŽžŸ]{0,2})+[ªº²³¹°®]?)$`)

// isLatin reports whether bytes look like text in Latin-1 or Windows-1252: nearly all of
// their words that are not ASCII match latinWord.
func isLatin(b []byte) bool {
	var words, strange int
	text, _ := read(b, "windows-1252")
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r < 0x80 && !unicode.IsLetter(r) || strings.ContainsRune("\u00a0¡¿«»·\u00ad€„…‹›‘’“”•–—™", r)
	}) {
		if strings.ContainsFunc(word, func(r rune) bool { return r >= 0x80 }) {
			words++
			if !latinWord().MatchString(word) {
				strange++
			}
		}
	}
	return 20*strange <= words
}

// moreLabels are encoding names that documents use but the Encoding Standard lacks.
var moreLabels = map[string]string{
	"cp932": "shift_jis", "cp936": "gbk", "cp949": "euc-kr", "cp950": "big5", "uhc": "euc-kr", "euc-cn": "gbk", "eucjp": "euc-jp", "euckr": "euc-kr", "big5hkscs": "big5",
}

// read decodes a text in an encoding; known is false for an unknown one. Invalid bytes
// become U+FFFD.
func read(b []byte, name string) (text string, known bool) {
	e, err := htmlindex.Get(cmp.Or(moreLabels[name], name))
	switch {
	case name == "hz-gb-2312": // browsers no longer support it
		e = simplifiedchinese.HZGB2312
	case err != nil || e == encoding.Replacement:
		return "", false
	case e == simplifiedchinese.GBK:
		e = simplifiedchinese.GB18030 // a superset; its texts are declared as this
	}
	out, err := e.NewDecoder().Bytes(b)
	return string(out), err == nil
}

// fromUTF16 decodes a text in UTF-16 that starts with a byte order mark.
func fromUTF16(b []byte) string {
	var order binary.ByteOrder = binary.LittleEndian
	if b[0] == 0xfe {
		order = binary.BigEndian
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// isISO2022JP reports whether a text of ASCII bytes is in ISO-2022-JP without a declaration.
// Other texts have similar escape sequences, such as those of terminals.
func isISO2022JP(b []byte) bool {
	known := 0
	for _, sequence := range []string{"\x1b(B", "\x1b(J", "\x1b(I", "\x1b$@", "\x1b$B", "\x1b$(D"} {
		known += bytes.Count(b, []byte(sequence))
	}
	if known == 0 || known < bytes.Count(b, []byte("\x1b")) {
		return false
	}
	text, _ := read(b, "iso-2022-jp")
	wide := 0
	for _, r := range text {
		if r >= 0x80 {
			wide++
		}
	}
	return wide > 0 && 20*strings.Count(text, "\ufffd") <= wide
}

// leastWide is the number of two-byte characters that a guess needs.
const leastWide = 12

// guessed returns the East Asian encoding of a text without a declaration, by the most
// frequent characters of each language; "" for none.
func guessed(b []byte) string {
	b = b[:min(len(b), 64<<10)]
	kana := func(r rune) bool { return 0x3041 <= r && r <= 0x30ff }
	cjk := func(r rune) bool {
		return 0x3000 <= r && r <= 0x30ff || 0x4e00 <= r && r <= 0x9fff || 0xff01 <= r && r <= 0xff5e
	}
	for _, c := range []struct {
		name   string
		much   func(r rune) bool // frequent characters of the language
		share  int               // their percentage
		common int               // percentage of characters in commonHan
	}{
		{"euc-jp", kana, 20, 0},
		{"shift_jis", kana, 20, 0},
		{"euc-kr", func(r rune) bool { return 0xac00 <= r && r <= 0xd7a3 }, 85, 0},
		{"gb18030", cjk, 95, 6}, // less than a hundredth of all characters, and a fifth of any text
		{"big5", cjk, 95, 6},
	} {
		text, _ := read(b, c.name)
		wide, much, strange, common := 0, 0, 0, 0
		for _, r := range text {
			if r < 0x80 {
				continue
			}
			wide++
			if c.much(r) {
				much++
			}
			if !cjk(r) && !c.much(r) && !strings.ContainsRune("·…“”‘’—", r) {
				strange++
			}
			if strings.ContainsRune(commonHan, r) {
				common++
			}
		}
		if wide >= leastWide && 50*strange <= wide && 100*much >= c.share*wide && 100*common >= c.common*wide {
			return c.name
		}
	}
	return ""
}

// commonHan are the most frequent characters of Chinese, in both forms.
const commonHan = "的一是不了在人有我他这這个個们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于於着著下自之年过過发發后後作里裡用道行所然家种種事成方多经經么麼去法学學如都同现現当當没沒动動面起看定天分还還进進好小部其些主样樣理心她本前开開但因只从從想实實，。、"

// isHZ reports whether a text of ASCII bytes is in HZ without a declaration: it has several
// spans between ~{ and ~} with only frequent characters of Chinese.
func isHZ(b []byte) bool {
	wide, common := 0, 0
	for rest := b; ; {
		_, after, there := bytes.Cut(rest, []byte("~{"))
		if !there {
			break
		}
		span, next, closed := bytes.Cut(after, []byte("~}"))
		if !closed { // the last
			span, _, _ = bytes.Cut(after, []byte("\n"))
		}
		if len(span)%2 != 0 {
			return false
		}
		for i := 0; i < len(span); i += 2 {
			wide++
			switch lead := span[i]; {
			case lead >= 0x30 && lead <= 0x57: // the first level of GB 2312
				common++
			case lead <= 0x20 || lead > 0x77 || span[i+1] <= 0x20 || span[i+1] > 0x7e:
				return false
			}
		}
		rest = next
	}
	return wide >= leastWide && 10*common >= 7*wide
}
