package markup

import (
	"strings"
	"testing"

	textencoding "golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"github.com/cairn-kb/cairn/internal/kb"
)

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
	for _, c := range []struct{ text, want string }{
		{"<meta charset=euc-jp>\x8f\xb0\xa1", "\u4e02"}, // of JIS X 0212
		{"<meta charset=csISO2022JP>\x1b$B$3$s\x1b$(D0!\x1b(B", "こん\u4e02"},
		{"<meta charset=gb2312>\x95\x32\x82\x36", "\U00020000"}, // of GB 18030, in four bytes
		{"<meta charset=cp949>\xb0\xa1", "\uac00"},              // a name of Microsoft
		{"<meta charset=utf-16le>l'\xe9t\xe9", "l'été"},         // cannot be true
		{"<meta charset=big5>\xff", "\ufffd"},
	} {
		_, head, _ := strings.Cut(c.text, ">")
		if d, err := Decode([]byte(c.text)); err != nil || d.Text != strings.TrimSuffix(c.text, head)+c.want || d.Damaged != strings.Count(c.want, "\ufffd") {
			t.Errorf("%q: %v, %+v", c.text, err, d)
		}
	}
	for _, name := range []string{"iso-2022-kr", "x-unknown"} {
		if d, err := Decode([]byte("<meta charset=" + name + ">\xb0\xa1\xa1")); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%s: %v, %+v", name, err, d)
		}
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
