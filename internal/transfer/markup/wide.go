package markup

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/binary"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// packedTables are the characters of encodings, made by TestTables with -update: for each of
// tableSizes so many differences to the character before, as varints, or 0 for none.
//
//go:embed tables.deflate
var packedTables []byte

// tableSizes are the numbers of pointers into the tables, as the Encoding Standard has them.
var tableSizes = []struct {
	name string
	size int
}{{"jis", 11280}, {"kr", 23940}, {"gb", 23940}, {"big5", 19782}, {"ranges", 2 * 207}, {"iso-8859-2", 128}, {"iso-8859-5", 128}, {"iso-8859-7", 128}, {"koi8-r", 128}, {"windows-1250", 128}, {"windows-1253", 128}, {"windows-1254", 128}, {"windows-1255", 128}, {"windows-1256", 128}, {"windows-874", 128}}

// tables are the characters by pointer; 0 for none. One pair of characters has the second
// above its 21st bit.
var tables = sync.OnceValue(func() map[string][]rune {
	raw, err := io.ReadAll(flate.NewReader(bytes.NewReader(packedTables)))
	if err != nil {
		panic(err) // it is part of the program
	}
	out := map[string][]rune{}
	for _, t := range tableSizes {
		table, last := make([]rune, t.size), int64(0)
		for i := range table {
			step, n := binary.Uvarint(raw)
			raw = raw[n:]
			if step > 0 {
				step--
				last += int64(step>>1) ^ -int64(step&1) + 1
				table[i] = rune(last)
			}
		}
		out[t.name] = table
	}
	return out
})

// encodingNames are the names of encodings that documents declare.
var encodingNames = map[string]string{
	"shift_jis": "shift_jis", "shift-jis": "shift_jis", "sjis": "shift_jis", "x-sjis": "shift_jis", "ms_kanji": "shift_jis", "windows-31j": "shift_jis", "cp932": "shift_jis", "ms932": "shift_jis",
	"euc-jp": "euc-jp", "x-euc-jp": "euc-jp", "eucjp": "euc-jp", "iso-2022-jp": "iso-2022-jp", "csiso2022jp": "iso-2022-jp",
	"euc-kr": "euc-kr", "euckr": "euc-kr", "ks_c_5601-1987": "euc-kr", "ksc5601": "euc-kr", "ks_c_5601": "euc-kr", "ks_c_5601-1989": "euc-kr", "korean": "euc-kr", "windows-949": "euc-kr", "cp949": "euc-kr", "uhc": "euc-kr",
	"gb2312": "gb18030", "gbk": "gb18030", "gb18030": "gb18030", "chinese": "gb18030", "gb_2312": "gb18030", "gb_2312-80": "gb18030", "x-gbk": "gb18030", "cp936": "gb18030", "euc-cn": "gb18030",
	"big5": "big5", "big5-hkscs": "big5", "big5hkscs": "big5", "cn-big5": "big5", "x-x-big5": "big5", "cp950": "big5", "hz-gb-2312": "hz-gb-2312",
	"iso-8859-2": "iso-8859-2", "latin2": "iso-8859-2", "iso8859-2": "iso-8859-2", "iso-8859-5": "iso-8859-5", "cyrillic": "iso-8859-5", "iso-8859-7": "iso-8859-7", "greek": "iso-8859-7",
	"koi8-r": "koi8-r", "koi8": "koi8-r", "windows-1250": "windows-1250", "cp1250": "windows-1250", "windows-1253": "windows-1253", "windows-1254": "windows-1254", "iso-8859-9": "windows-1254", "latin5": "windows-1254",
	"windows-1255": "windows-1255", "windows-1256": "windows-1256", "windows-874": "windows-874", "tis-620": "windows-874", "iso-8859-11": "windows-874",
}

// fromTables is a text in one of encodingNames; false for another.
func fromTables(b []byte, name string) (string, bool) {
	t := tables()
	if high := t[name]; len(high) == 128 {
		return fromBytes(b, high), true
	}
	next := map[string]func(map[string][]rune, []byte) (rune, int){
		"shift_jis": shiftJIS, "euc-jp": eucJP, "iso-2022-jp": eucJP, "euc-kr": eucKR, "gb18030": gb18030, "hz-gb-2312": gb18030, "big5": big5,
	}[name]
	switch name {
	case "iso-2022-jp":
		b = fromISO2022JP(b)
	case "hz-gb-2312":
		b = fromHZ(b)
	}
	if next == nil {
		return "", false
	}
	var out strings.Builder
	for len(b) > 0 {
		if b[0] < 0x80 {
			out.WriteByte(b[0])
			b = b[1:]
			continue
		}
		r, n := next(t, b)
		if r == 0 {
			r, n = utf8.RuneError, 1
			if len(b) > 1 && b[1] >= 0x80 {
				n = 2
			}
		}
		out.WriteRune(r & (1<<21 - 1))
		if second := r >> 21; second > 0 {
			out.WriteRune(second)
		}
		b = b[n:]
	}
	return out.String(), true
}

// at is the character at a pointer; 0 for none.
func at(table []rune, pointer int) rune {
	if pointer < 0 || pointer >= len(table) {
		return 0
	}
	return table[pointer]
}

// pair returns the first two bytes of a text; ok is false where there is one, or the second is below from.
func pair(b []byte, from byte) (lead, trail int, ok bool) {
	if len(b) < 2 || b[1] < from || b[1] == 0xff {
		return 0, 0, false
	}
	return int(b[0]), int(b[1]), true
}

func shiftJIS(t map[string][]rune, b []byte) (rune, int) {
	switch c := b[0]; {
	case c == 0x80:
		return 0x80, 1
	case 0xa1 <= c && c <= 0xdf:
		return 0xff61 + rune(c) - 0xa1, 1
	}
	lead, trail, ok := pair(b, 0x40)
	if !ok || trail == 0x7f || trail > 0xfc {
		return 0, 0
	}
	if trail -= 0x40; trail > 0x3f {
		trail--
	}
	if lead -= 0x81; lead > 0x1e {
		lead -= 0x40
	}
	return at(t["jis"], lead*188+trail), 2
}

func eucJP(t map[string][]rune, b []byte) (rune, int) {
	lead, trail, ok := pair(b, 0xa1)
	switch {
	case !ok:
		return 0, 0
	case lead == 0x8e && trail <= 0xdf:
		return 0xff61 + rune(trail) - 0xa1, 2
	case lead == 0x8f && len(b) > 2: // JIS X 0212, which hardly any text has
		return utf8.RuneError, 3
	case lead < 0xa1:
		return 0, 0
	}
	return at(t["jis"], (lead-0xa1)*94+trail-0xa1), 2
}

func eucKR(t map[string][]rune, b []byte) (rune, int) {
	lead, trail, ok := pair(b, 0x41)
	if !ok || lead < 0x81 {
		return 0, 0
	}
	return at(t["kr"], (lead-0x81)*190+trail-0x41), 2
}

func gb18030(t map[string][]rune, b []byte) (rune, int) {
	if b[0] == 0x80 {
		return '€', 1
	}
	if len(b) >= 4 && '0' <= b[1] && b[1] <= '9' && b[2] >= 0x81 && '0' <= b[3] && b[3] <= '9' {
		p := rune(((int(b[0])-0x81)*10+int(b[1])-'0')*1260 + (int(b[2])-0x81)*10 + int(b[3]) - '0')
		if p >= 189000 && p <= 1237575 {
			return 0x10000 + p - 189000, 4
		}
		ranges := t["ranges"]
		for i := len(ranges) - 2; i >= 0 && p < 39420; i -= 2 {
			if ranges[i] > 0 && p >= ranges[i]-1 {
				return ranges[i+1] + p - (ranges[i] - 1), 4
			}
		}
		return 0, 0
	}
	lead, trail, ok := pair(b, 0x40)
	if !ok || trail == 0x7f || lead < 0x81 {
		return 0, 0
	}
	if trail -= 0x40; trail > 0x3f {
		trail--
	}
	return at(t["gb"], (lead-0x81)*190+trail), 2
}

func big5(t map[string][]rune, b []byte) (rune, int) {
	lead, trail, ok := pair(b, 0x40)
	if !ok || trail > 0x7e && trail < 0xa1 {
		return 0, 0
	}
	if trail -= 0x40; trail > 0x3e {
		trail -= 0x22
	}
	return at(t["big5"], (lead-0x81)*157+trail), 2
}

// fromISO2022JP is a text in EUC-JP of one in ISO-2022-JP.
func fromISO2022JP(b []byte) (out []byte) {
	wide, kana, second := false, false, false // second: of JIS X 0212
	for len(b) > 0 {
		if b[0] == 0x1b {
			skip := 3
			switch {
			case bytes.HasPrefix(b, []byte("\x1b(B")), bytes.HasPrefix(b, []byte("\x1b(J")):
				wide, kana = false, false
			case bytes.HasPrefix(b, []byte("\x1b(I")):
				wide, kana = false, true
			case bytes.HasPrefix(b, []byte("\x1b$@")), bytes.HasPrefix(b, []byte("\x1b$B")):
				wide, second = true, false
			case bytes.HasPrefix(b, []byte("\x1b$(D")):
				wide, second, skip = true, true, 4
			default:
				skip = 1
			}
			b = b[min(skip, len(b)):]
			continue
		}
		switch c := b[0]; {
		case wide && len(b) > 1 && c > 0x20 && c < 0x7f && b[1] > 0x20 && b[1] < 0x7f:
			if second {
				out = append(out, 0x8f)
			}
			out = append(out, c|0x80, b[1]|0x80)
			b = b[2:]
			continue
		case kana && c > 0x20 && c < 0x60:
			out = append(out, 0x8e, c|0x80)
		default:
			out = append(out, c)
		}
		b = b[1:]
	}
	return out
}

// isISO2022JP reports whether a text of ASCII is in ISO-2022-JP without saying so. Others have such
// escape sequences as well: those of terminals.
func isISO2022JP(b []byte) bool {
	known := 0
	for _, sequence := range []string{"\x1b(B", "\x1b(J", "\x1b(I", "\x1b$@", "\x1b$B", "\x1b$(D"} {
		known += bytes.Count(b, []byte(sequence))
	}
	if known == 0 || known < bytes.Count(b, []byte("\x1b")) {
		return false
	}
	text, _ := fromTables(b, "iso-2022-jp")
	wide := 0
	for _, r := range text {
		if r >= 0x80 {
			wide++
		}
	}
	return wide > 0 && 20*strings.Count(text, "\ufffd") <= wide
}

// fromHZ is a text in GB 18030 of one in HZ.
func fromHZ(b []byte) (out []byte) {
	wide := false
	for len(b) > 0 {
		switch {
		case bytes.HasPrefix(b, []byte("~{")), bytes.HasPrefix(b, []byte("~}")):
			wide = b[1] == '{'
			b = b[2:]
		case !wide && bytes.HasPrefix(b, []byte("~~")):
			out, b = append(out, '~'), b[2:]
		case !wide && bytes.HasPrefix(b, []byte("~\n")):
			b = b[2:]
		case wide && len(b) > 1 && b[0] > 0x20 && b[0] < 0x7f && b[1] > 0x20 && b[1] < 0x7f:
			out, b = append(out, b[0]|0x80, b[1]|0x80), b[2:]
		default:
			wide = wide && b[0] != '\n'
			out, b = append(out, b[0]), b[1:]
		}
	}
	return out
}

// leastWide is how many characters of two bytes a text needs so that its encoding shows.
const leastWide = 12

// guessed is the East Asian encoding that a text without a declaration is in, by the characters
// that texts of a language have most; "" for none.
func guessed(b []byte) string {
	b = b[:min(len(b), 64<<10)]
	kana := func(r rune) bool { return 0x3041 <= r && r <= 0x30ff }
	cjk := func(r rune) bool {
		return 0x3000 <= r && r <= 0x30ff || 0x4e00 <= r && r <= 0x9fff || 0xff01 <= r && r <= 0xff5e
	}
	for _, c := range []struct {
		name   string
		much   func(r rune) bool // what texts of the language have much of
		share  int               // percent of it
		common int               // percent of characters of commonHan
	}{
		{"euc-jp", kana, 20, 0},
		{"shift_jis", kana, 20, 0},
		{"euc-kr", func(r rune) bool { return 0xac00 <= r && r <= 0xd7a3 }, 85, 0},
		{"gb18030", cjk, 95, 6}, // they are less than a hundredth of all, and each fifth of a text
		{"big5", cjk, 95, 6},
	} {
		text, _ := fromTables(b, c.name)
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

// isHZ reports whether a text of ASCII is in HZ without saying so: it has several spans between ~{
// and ~}, which are all frequent characters of Chinese.
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
