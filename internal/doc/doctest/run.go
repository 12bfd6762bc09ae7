package doctest

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/cairn-kb/cairn/internal/doc"
)

// Fixture is a page in the codec's format.
type Fixture struct {
	Path   string
	Source []byte
}

// Run tests a codec. The fixtures should contain everything that is difficult in the format;
// the suite also has its own plain pages, made with Codec.New.
func Run(t *testing.T, codec doc.Codec, fixtures []Fixture) {
	if len(fixtures) == 0 {
		t.Fatal("no fixtures")
	}
	t.Run("identity", func(t *testing.T) {
		for _, f := range variants(fixtures) {
			Identity(t, codec, f)
		}
	})
	t.Run("edits", func(t *testing.T) {
		for _, f := range variants(fixtures) {
			EditAll(t, codec, f)
		}
	})
	t.Run("page", func(t *testing.T) { testPage(t, codec) })
	t.Run("steps", func(t *testing.T) { testSteps(t, codec) })
	t.Run("errors", func(t *testing.T) { testErrors(t, codec) })
	t.Run("opaque", func(t *testing.T) { testOpaque(t, codec) })
}

// Identity checks that a page parses to a sound document that encodes to the same bytes.
func Identity(t *testing.T, codec doc.Codec, f Fixture) *doc.Document {
	t.Helper()
	d := codec.Parse(f.Path, f.Source)
	back, err := d.Encode(d.Text)
	if err != nil || !bytes.Equal(back, f.Source) {
		t.Errorf("%s: not given back: %v", f.Path, err)
	}
	Sound(t, d)
	return d
}

// variants adds to each fixture its forms in other encodings, with other line
// endings, and without a final newline.
func variants(fixtures []Fixture) []Fixture {
	var all []Fixture
	for _, f := range fixtures {
		text, enc := doc.Decode(f.Source)
		all = append(all, f)
		if enc != doc.UTF8 {
			continue
		}
		lf := strings.ReplaceAll(string(text), "\r\n", "\n")
		for _, form := range []struct{ name, text string }{
			{"lf", lf},
			{"crlf", strings.ReplaceAll(lf, "\n", "\r\n")},
			{"open", strings.TrimRight(lf, "\n")},
			{"crlf-open", strings.ReplaceAll(strings.TrimRight(lf, "\n"), "\n", "\r\n")},
		} {
			for _, enc := range []doc.Encoding{doc.UTF8, doc.UTF8BOM, doc.UTF16LE, doc.UTF16BE, doc.Latin1} {
				// Encodings and line endings are independent: UTF-8 is tested with every
				// form, the others with the most different ones.
				if enc != doc.UTF8 && (form.name == "crlf" || form.name == "open") {
					continue
				}
				if source, ok := encode(form.text, enc); ok {
					all = append(all, Fixture{string(enc) + "/" + form.name + "/" + f.Path, source})
				}
			}
		}
	}
	return all
}

// encode encodes text without the code under test. It is Latin-1 only for text with a
// character beyond ASCII.
func encode(text string, enc doc.Encoding) ([]byte, bool) {
	switch enc {
	case doc.UTF8:
		return []byte(text), true
	case doc.UTF8BOM:
		return []byte("\ufeff" + text), true
	case doc.Latin1:
		var out []byte
		shows := false
		for _, r := range text {
			if r > 0xFF || 0x80 <= r && r < 0xA0 {
				return nil, false
			}
			shows = shows || r >= 0x80
			out = append(out, byte(r))
		}
		_, enc := doc.Decode(out)
		return out, shows && enc == doc.Latin1
	}
	var out []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
		if enc == doc.UTF16LE {
			out = append(out, byte(u), byte(u>>8))
		} else {
			out = append(out, byte(u>>8), byte(u))
		}
	}
	return out, true
}
