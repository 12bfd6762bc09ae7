package doc

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb"
)

var (
	bomUTF8    = []byte{0xEF, 0xBB, 0xBF}
	bomUTF16LE = []byte{0xFF, 0xFE}
	bomUTF16BE = []byte{0xFE, 0xFF}
)

// Decode reads source as text: UTF-8, with or without byte order mark, UTF-16 with byte
// order mark, or else Latin-1 if the bytes look like text. Everything else is Opaque with an
// empty text: bytes with NUL, UTF-16 with unpaired surrogates, data with many control
// characters. For UTF-8 the text shares memory with source.
//
// Decoding loses nothing: for every encoding except Opaque, Encode of the text returns
// source.
func Decode(source []byte) (text []byte, enc Encoding) {
	switch {
	case bytes.HasPrefix(source, bomUTF16LE):
		return decodeUTF16(source[2:], binary.LittleEndian, UTF16LE)
	case bytes.HasPrefix(source, bomUTF16BE):
		return decodeUTF16(source[2:], binary.BigEndian, UTF16BE)
	case bytes.IndexByte(source, 0) >= 0:
		return nil, Opaque
	case utf8.Valid(source):
		if rest, marked := bytes.CutPrefix(source, bomUTF8); marked {
			return rest, UTF8BOM
		}
		return source, UTF8
	case looksLikeText(source):
		return decodeLatin1(source), Latin1
	}
	return nil, Opaque
}

// Encode encodes text in the given encoding. It fails with kb.Invalid if the text has a
// character that the encoding lacks, or if decoding the result would not return this text.
func Encode(text []byte, enc Encoding) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, kb.Errorf(kb.Invalid, "the new text is not valid UTF-8")
	}
	var out []byte
	switch enc {
	case UTF8:
		out = text
	case UTF8BOM:
		out = append(append(make([]byte, 0, len(text)+3), bomUTF8...), text...)
	case UTF16LE:
		out = encodeUTF16(text, binary.LittleEndian, bomUTF16LE)
	case UTF16BE:
		out = encodeUTF16(text, binary.BigEndian, bomUTF16BE)
	case Latin1:
		var err error
		if out, err = encodeLatin1(text); err != nil {
			return nil, err
		}
	default:
		if len(text) == 0 {
			return nil, kb.Errorf(kb.Invalid, "a binary file cannot be edited")
		}
		return nil, kb.Errorf(kb.Invalid, "text cannot be written in encoding %q", string(enc))
	}
	// The first bytes of a file, and a NUL, determine how it is decoded: text that starts
	// with U+FEFF, or Latin-1 that is also valid UTF-8, would be decoded differently.
	if back, _ := Decode(out); !bytes.Equal(back, text) {
		return nil, kb.Errorf(kb.Invalid, "the new text would not be read back as written").
			WithHint("remove NUL and byte order mark characters, or convert the file to UTF-8")
	}
	return out, nil
}

func decodeUTF16(b []byte, order binary.ByteOrder, enc Encoding) ([]byte, Encoding) {
	if len(b)%2 != 0 {
		return nil, Opaque
	}
	text := make([]byte, 0, len(b))
	for i := 0; i < len(b); i += 2 {
		r := rune(order.Uint16(b[i:]))
		if utf16.IsSurrogate(r) {
			if i+4 > len(b) {
				return nil, Opaque
			}
			r = utf16.DecodeRune(r, rune(order.Uint16(b[i+2:])))
			if r == utf8.RuneError {
				return nil, Opaque
			}
			i += 2
		}
		if r == 0 {
			return nil, Opaque
		}
		text = utf8.AppendRune(text, r)
	}
	return text, enc
}

func encodeUTF16(text []byte, order binary.AppendByteOrder, bom []byte) []byte {
	out := append(make([]byte, 0, 2*len(text)+2), bom...)
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		if hi, lo := utf16.EncodeRune(r); hi != utf8.RuneError {
			out = order.AppendUint16(out, uint16(hi))
			out = order.AppendUint16(out, uint16(lo))
			continue
		}
		out = order.AppendUint16(out, uint16(r))
	}
	return out
}

// cp1252 holds the characters for bytes 0x80 to 0x9F. Files labelled Latin-1
// are in practice Windows-1252, which has quotation marks and dashes there; the
// WHATWG Encoding Standard reads the label "latin1" this way. The five
// unassigned bytes map to the control characters of the same number, so that
// the mapping is one to one.
var cp1252 = [32]rune{
	0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
	0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D, 0x8F,
	0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
	0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
}

func decodeLatin1(source []byte) []byte {
	text := make([]byte, 0, len(source)+len(source)/8)
	for _, b := range source {
		switch {
		case b < 0x80:
			text = append(text, b)
		case b < 0xA0:
			text = utf8.AppendRune(text, cp1252[b-0x80])
		default:
			text = utf8.AppendRune(text, rune(b))
		}
	}
	return text
}

func encodeLatin1(text []byte) ([]byte, error) {
	out := make([]byte, 0, len(text))
	for i, r := range string(text) {
		b, ok := latin1Byte(r)
		if !ok {
			return nil, kb.Errorf(kb.Invalid, "line %d has a character that the file's encoding lacks", LineAt(text, i)).
				WithHint("convert the file to UTF-8 first")
		}
		out = append(out, b)
	}
	return out, nil
}

func latin1Byte(r rune) (byte, bool) {
	if r < 0x80 || 0xA0 <= r && r <= 0xFF {
		return byte(r), true
	}
	for i, c := range cp1252 {
		if c == r {
			return byte(0x80 + i), true
		}
	}
	return 0, false
}

// looksLikeText reports whether bytes that are not UTF-8 are text in another
// encoding: control characters other than white space and escape are at most
// one in a thousand. Compressed and executable data has about one in nine.
func looksLikeText(source []byte) bool {
	controls := 0
	for _, b := range source {
		if b < 0x20 && (b < '\t' || b > '\r') && b != 0x1B || b == 0x7F {
			controls++
		}
	}
	return controls <= len(source)/1000
}
