package markup

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// declared is the encoding that a document in HTML declares.
var declared = lazyregexp.New(`(?i)<meta[^<>]+charset=["' ]*([a-z0-9_-]+)|^\s*<\?xml[^<>]+encoding=["']([a-z0-9_-]+)`)

// upper are the characters of the bytes from 0x80 on in encodings of one byte.
var upper = map[string][]rune{
	"windows-1252": []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ\u00a0¡¢£¤¥¦§¨©ª«¬\u00ad®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"),
	"windows-1251": []rune("ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u0098™љ›њќћџ\u00a0ЎўЈ¤Ґ¦§Ё©Є«¬\u00ad®Ї°±Ііґµ¶·ё№є»јЅѕїАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя"),
}

// Decoded is the text of a document in HTML.
type Decoded struct {
	Text    string
	Damaged int    // bytes that are no text, and U+FFFD in it
	Guessed string // the encoding as which it is read without a declaration of it; "" for one that is certain
}

// Decode reads the bytes of a document in HTML. An unknown encoding is kb.Invalid.
func Decode(b []byte) (d Decoded, err error) {
	name, guess := "utf-8", false
	if hasOrder(b) {
		name = "utf-16"
	} else if seven, unsaid := sevenBits(b); seven != "" {
		name, guess = seven, unsaid
	} else if !utf8.Valid(b) {
		name, guess = encoding(b)
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
		if high := upper[name]; high != nil {
			d.Text = fromBytes(b, high)
			break
		}
		text, known := fromTables(b, encodingNames[name])
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

// hasOrder reports whether a text begins with the byte order of UTF-16.
func hasOrder(b []byte) bool {
	return bytes.HasPrefix(b, []byte{0xff, 0xfe}) || bytes.HasPrefix(b, []byte{0xfe, 0xff})
}

// encoding is that of a text that is not valid UTF-8: the one that its bytes show, else the one that
// it declares, else a guess: Windows-1252 if it reads as that, or an East Asian one; "" if it is not known.
func encoding(b []byte) (name string, guess bool) {
	whole, damaged := sequences(b)
	if whole > 3*damaged {
		return "utf-8", false
	}
	switch name = declaredBy(b); name {
	case "iso-8859-1", "iso8859-1", "latin1", "latin-1", "ascii", "us-ascii", "cp1252", "windows-1252": // browsers take them for the last
		if !isLatin(b) { // else the declaration may be wrong
			if other := guessed(b); other != "" {
				return other, true
			}
		}
		return "windows-1252", false
	case "cp1251":
		return "windows-1251", false
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

// declaredBy is the encoding that a text declares; "" for none.
func declaredBy(b []byte) string {
	if m := declared().FindSubmatch(b[:min(len(b), 4<<10)]); m != nil {
		return strings.ToLower(string(m[1]) + string(m[2]))
	}
	return ""
}

// sevenBits is the encoding of a text in East Asian signs that looks like ASCII: it switches to them
// by escape sequences, or by ~{. "" for any other text.
func sevenBits(b []byte) (encoding string, guess bool) {
	if bytes.ContainsFunc(b, func(r rune) bool { return r >= 0x80 }) {
		return "", false
	}
	switch name := declaredBy(b); {
	case bytes.Contains(b, []byte("\x1b$)C")):
		return "iso-2022-kr", false
	case bytes.Contains(b, []byte("\x1b$)A")), bytes.Contains(b, []byte("\x1b$)G")):
		return "iso-2022-cn", false
	case encodingNames[name] == "iso-2022-jp" && bytes.Contains(b, []byte("\x1b$")):
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

// sequences counts the whole characters of several bytes in UTF-8, and the bytes that are in none.
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

// latinWord is a word with letters of Western Europe between those of ASCII, or a sign. Words of
// other scripts in their own encodings have rows of such letters, or signs within.
var latinWord = lazyregexp.New(`^(?:[àáåèéóöÀÁÅÈÉÓÖ]|[¢-©¬®-µ¶¸-º¼-¾×÷]|` +
	`[ªº°µ§©]?[À-ÏÑ-ÖØ-Üß-ïñ-öø-üÿŒœŠšŽžŸ]{0,2}(?:[A-Za-z]+[À-ÏÑ-ÖØ-Üß-ïñ-öø-üÿŒœŠšŽžŸ]{0,2})+[ªº²³¹°®]?)$`)

// isLatin reports whether bytes read as text in Latin-1, or Windows-1252: nearly all of their words
// that are not ASCII have the form of such words.
func isLatin(b []byte) bool {
	var words, strange int
	for word := range strings.FieldsFuncSeq(fromBytes(b, upper["windows-1252"]), func(r rune) bool {
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

// fromBytes is a text in an encoding of one byte.
func fromBytes(b []byte, high []rune) string {
	var out strings.Builder
	for _, c := range b {
		if c < 0x80 {
			out.WriteByte(c)
		} else {
			out.WriteRune(high[c-0x80])
		}
	}
	return out.String()
}

// fromUTF16 is a text in UTF-16 that begins with its byte order.
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
