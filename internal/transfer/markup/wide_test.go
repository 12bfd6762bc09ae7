package markup

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"flag"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	textencoding "golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

var update = flag.Bool("update", false, "write tables.deflate")

var singles = map[string]textencoding.Encoding{
	"iso-8859-2": charmap.ISO8859_2, "iso-8859-5": charmap.ISO8859_5, "iso-8859-7": charmap.ISO8859_7, "koi8-r": charmap.KOI8R, "windows-1250": charmap.Windows1250, "windows-1253": charmap.Windows1253,
	"windows-1254": charmap.Windows1254, "windows-1255": charmap.Windows1255, "windows-1256": charmap.Windows1256, "windows-874": charmap.Windows874,
}

// char is the character of some bytes; 0 for none.
func char(t *testing.T, e textencoding.Encoding, b ...byte) rune {
	t.Helper()
	text, err := e.NewDecoder().Bytes(b)
	if err != nil {
		t.Fatal(err)
	}
	runes := []rune(string(text))
	switch {
	case runes[0] == utf8.RuneError:
		return 0
	case len(runes) == 2 && runes[1] != utf8.RuneError && runes[1] >= 0x80:
		return runes[0] | runes[1]<<21
	case len(runes) > 1:
		return 0
	}
	return runes[0]
}

// The tables are those of golang.org/x/text.
func TestTables(t *testing.T) {
	t.Parallel()
	var raw bytes.Buffer
	for _, s := range tableSizes {
		last := int64(0)
		for i := range s.size {
			var r rune
			switch s.name {
			case "jis":
				lead, trail := i/188+0x81, i%188+0x40
				if lead > 0x9f {
					lead += 0x40
				}
				if trail > 0x7e {
					trail++
				}
				r = char(t, japanese.ShiftJIS, byte(lead), byte(trail))
			case "kr":
				r = char(t, korean.EUCKR, byte(i/190+0x81), byte(i%190+0x41))
			case "gb":
				trail := i%190 + 0x40
				if trail > 0x7e {
					trail++
				}
				r = char(t, simplifiedchinese.GB18030, byte(i/190+0x81), byte(trail))
			case "big5":
				trail := i%157 + 0x40
				if trail > 0x7e {
					trail += 0x22
				}
				r = char(t, traditionalchinese.Big5, byte(i/157+0x81), byte(trail))
			case "ranges":
				r = ranges(t)[i]
			default:
				r = char(t, singles[s.name], byte(i+0x80))
			}
			if r == 0 {
				raw.WriteByte(0)
				continue
			}
			step := int64(r) - last - 1
			last = int64(r)
			raw.Write(binary.AppendUvarint(nil, uint64(step<<1^step>>63)+1))
		}
	}
	if *update {
		var out bytes.Buffer
		w, err := flate.NewWriter(&out, flate.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(raw.Bytes())
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("tables.deflate", out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	var have bytes.Buffer
	if _, err := have.ReadFrom(flate.NewReader(bytes.NewReader(packedTables))); err != nil || !bytes.Equal(have.Bytes(), raw.Bytes()) {
		t.Error("run go test with -update", err)
	}
}

var rangesOnce []rune

// ranges are the starts of the ranges of characters of four bytes in GB 18030, each with a pointer plus one.
func ranges(t *testing.T) []rune {
	t.Helper()
	if rangesOnce == nil {
		last := rune(0)
		for p := range 39420 {
			r := char(t, simplifiedchinese.GB18030, byte(p/12600+0x81), byte(p/1260%10+'0'), byte(p/10%126+0x81), byte(p%10+'0'))
			if r != 0 && r != last+1 {
				rangesOnce = append(rangesOnce, rune(p)+1, r)
			}
			last = r
		}
	}
	out := make([]rune, 2*207)
	if len(rangesOnce) > len(out) {
		t.Fatalf("%d", len(rangesOnce))
	}
	copy(out, rangesOnce)
	return out
}

// Texts are as golang.org/x/text reads them, also with bytes that are no characters.
func TestFromTables(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]textencoding.Encoding{
		"shift_jis": japanese.ShiftJIS, "euc-jp": japanese.EUCJP, "euc-kr": korean.EUCKR, "gb18030": simplifiedchinese.GB18030, "big5": traditionalchinese.Big5,
		"koi8-r": charmap.KOI8R, "windows-1250": charmap.Windows1250,
	} {
		for lead := 0x80; lead < 0x100; lead++ {
			for trail := range 0x100 {
				b := []byte{'a', byte(lead), byte(trail), ' '}
				want, err := e.NewDecoder().Bytes(b)
				got, known := fromTables(b, name)
				if w := string(want); err != nil || !known || got != w && !strings.ContainsRune(w, utf8.RuneError) && (name != "euc-jp" || lead != 0x8f) {
					t.Fatalf("%s, % x: %q, want %q", name, b, got, w)
				}
			}
		}
	}
	for name, e := range map[string]textencoding.Encoding{"iso-2022-jp": japanese.ISO2022JP, "hz-gb-2312": simplifiedchinese.HZGB2312, "gb18030": simplifiedchinese.GB18030} {
		const text = "a \u4e2d\u6587 b\n\u4e00\u4e8c 3"
		b, err := e.NewEncoder().Bytes([]byte(text))
		if got, _ := fromTables(b, name); err != nil || got != text {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got, _ := fromTables([]byte("\x81\x30\x81\x30\x90\x30\x81\x30\x84\x31\xa4\x37"), "gb18030"); got != "\u0080\U00010000\ufffd" {
		t.Errorf("%q", got)
	}
}

// The encoding of a text that declares none, or a wrong one, shows in its characters.
func TestGuessed(t *testing.T) {
	t.Parallel()
	const (
		japan  = "窯の火は夜にゆっくりと上げます。粘土は一週間かわかして、そのあとで焼きました。"
		korea  = "가마의 불은 밤에 천천히 올립니다. 흙은 일주일 동안 말린 다음에 구웠습니다."
		china  = "我们在晚上慢慢地把窑的火烧起来。这是他的一个方法，因为泥土要先放一个星期。"
		taiwan = "我們在晚上慢慢地把窯的火燒起來。這是他的一個方法，因為泥土要先放一個星期。"
		russia = "Мы медленно поднимаем огонь в печи ночью. Глина сохнет неделю, потом её обжигают."
		french = "Le feu du four monte lentement la nuit, très doucement, après une semaine de séchage à l'été."
	)
	for _, c := range []struct {
		name, declared, text, guessed string
		e                             textencoding.Encoding
	}{
		{"shift_jis", "", japan, "shift_jis", japanese.ShiftJIS},
		{"shift_jis", "shift_jis", japan, "", japanese.ShiftJIS},
		{"shift_jis", "utf-8", japan, "shift_jis", japanese.ShiftJIS},
		{"shift_jis", "iso-8859-1", japan, "shift_jis", japanese.ShiftJIS},
		{"euc-jp", "", japan, "euc-jp", japanese.EUCJP},
		{"iso-2022-jp", "", japan, "iso-2022-jp", japanese.ISO2022JP},
		{"iso-2022-jp", "iso-2022-jp", japan, "", japanese.ISO2022JP},
		{"euc-kr", "", korea, "euc-kr", korean.EUCKR},
		{"euc-kr", "ks_c_5601-1987", korea, "", korean.EUCKR},
		{"gbk", "", china, "gb18030", simplifiedchinese.GBK},
		{"gbk", "gb2312", china, "", simplifiedchinese.GBK},
		{"gbk", "iso-8859-1", china, "gb18030", simplifiedchinese.GBK},
		{"hz", "", china, "hz-gb-2312", simplifiedchinese.HZGB2312},
		{"hz", "hz-gb-2312", china, "", simplifiedchinese.HZGB2312},
		{"big5", "", taiwan, "big5", traditionalchinese.Big5},
		{"big5", "big5", taiwan, "", traditionalchinese.Big5},
		{"koi8-r", "koi8-r", russia, "", charmap.KOI8R},
		{"latin1", "", french, "windows-1252", charmap.Windows1252},
		{"latin1", "iso-8859-1", french, "", charmap.Windows1252},
		{"utf-8", "shift_jis", japan, "", textencoding.Nop},
	} {
		head := "<p>"
		if c.declared != "" {
			head = `<meta charset="` + c.declared + `"><p>`
		}
		b, err := c.e.NewEncoder().Bytes([]byte(head + c.text))
		if err != nil {
			t.Fatal(err)
		}
		d, err := Decode(b)
		if err != nil || d.Text != head+c.text || d.Guessed != c.guessed || d.Damaged != 0 {
			t.Errorf("%s, declared %q: %v, %+v", c.name, c.declared, err, d)
		}
	}
	for name, b := range map[string]string{"koi8-r": "\xed\xd9 \xcd\xc5\xc4\xcc\xc5\xce\xce\xcf \xd0\xcf\xc4\xce\xc9\xcd\xc1\xc5\xcd \xcf\xc7\xcf\xce\xd8 \xd7 \xd0\xc5\xde\xc9 \xce\xcf\xde\xd8\xc0"} {
		if d, err := Decode([]byte(b)); err == nil {
			t.Errorf("%s: %+v", name, d)
		}
	}
	if d, err := Decode([]byte("<meta charset=csISO2022JP>\x1b$B$3$s\x1b$(D0!\x1b(B")); err != nil || d.Damaged != 1 || d.Guessed != "" || !strings.HasSuffix(d.Text, ">こん\ufffd") {
		t.Errorf("JIS X 0212: %v, %+v", err, d)
	}
	for name, text := range map[string]string{
		"terminal":       "<meta charset=utf-8><pre>\x1b$B begins JIS, \x1b[0m ends colours</pre>",
		"one sequence":   "<pre>the sequence \x1b$B begins JIS, and more text follows here</pre>",
		"a prompt":       "<pre>\x1b$ ls</pre>",
		"format of Lisp": "(format t \"~{~a, ~}~%\" list) (format nil \"~{<~a>~}\" x)",
		"UTF-16":         "\xff\xfea\x00\x1b\x24b\x00", // with U+241B, which has the bytes of an escape sequence
	} {
		if d, err := Decode([]byte(text)); err != nil || d.Guessed != "" || name != "UTF-16" && d.Text != text {
			t.Errorf("%s: %v, %+v", name, err, d)
		}
	}
}
