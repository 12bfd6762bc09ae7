package safetext_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func TestSafe(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ in, text, line string }{
		{"plain", "plain", "plain"},
		{"two\nlines\tand a tab", "two\nlines\tand a tab", "two lines and a tab"},
		{"dos\r\nlines", "dos\nlines", "dos  lines"},
		{"hidden\rshown", "hidden␍shown", "hidden shown"},
		{"\x1b[31mred\x1b[0m", "␛[31mred␛[0m", "␛[31mred␛[0m"},
		{"bell\a back\b del\x7f nul\x00", "bell␇ back␈ del␡ nul␀", "bell␇ back␈ del␡ nul␀"},
		{"C1 \u009b31m \u0085", "C1 �31m �", "C1 �31m �"},
		{"bidi \u202egnp.\u202c \u2066x\u2069 \u200f", "bidi �gnp.� �x� �", "bidi �gnp.� �x� �"},
		{"line\u2028paragraph\u2029", "line�paragraph�", "line�paragraph�"},
		{"tag \U000e0041", "tag �", "tag �"},
		{"not UTF-8 \x9b31m", "not UTF-8 �31m", "not UTF-8 �31m"},
		{"日本語 é 👩‍💻", "日本語 é 👩‍💻", "日本語 é 👩‍💻"},
	} {
		if got := safetext.Text(tc.in); got != tc.text {
			t.Errorf("safetext.Text(%q) = %q, want %q", tc.in, got, tc.text)
		}
		if got := safetext.Line(tc.in); got != tc.line {
			t.Errorf("safetext.Line(%q) = %q, want %q", tc.in, got, tc.line)
		}
	}
}

func FuzzSafe(f *testing.F) {
	f.Add("a \x1b[2J \u202e \x9b \r\n")
	f.Fuzz(func(t *testing.T, in string) {
		for _, got := range []string{safetext.Text(in), safetext.Line(in)} {
			if !utf8.ValidString(got) {
				t.Fatalf("%q is not UTF-8", got)
			}
			for _, r := range got {
				if r != '\n' && r != '\t' && safetext.Dangerous(r) {
					t.Fatalf("%q holds %U", got, r)
				}
			}
		}
		if strings.ContainsAny(safetext.Line(in), "\n\t") {
			t.Fatal("not one line")
		}
		text, err := terminal.JSON(in, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range string(text) {
			if safetext.Dangerous(r) {
				t.Fatalf("JSON %q holds %U", text, r)
			}
		}
		var back string
		if err := json.Unmarshal(text, &back); err != nil || back != strings.ToValidUTF8(in, "\ufffd") && utf8.ValidString(in) {
			t.Fatalf("%q became %q: %v", in, back, err)
		}
	})
}
