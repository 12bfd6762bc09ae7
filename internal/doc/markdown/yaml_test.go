package markdown

import (
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
)

// sameAsYAML fails when readSimple accepts what readYAML reads otherwise. It
// reports whether readSimple accepted.
func sameAsYAML(t *testing.T, text []byte, inner doc.Span) bool {
	t.Helper()
	quick, ok := readSimple(text, inner)
	if !ok {
		return false
	}
	full, flow, why := readYAML(text, inner)
	if why != "" || flow || len(quick) != len(full) {
		t.Fatalf("%q: read as %d keys, but YAML says %d %q", text, len(quick), len(full), why)
	}
	for i, q := range quick {
		f := full[i]
		if q.key != f.key || q.kind != f.kind || !slices.Equal(q.values, f.values) || q.span != f.span || q.colon != f.colon {
			t.Fatalf("%q: key %d: %+v, but YAML says %+v", text, i, q, f)
		}
	}
	return true
}

var simpleSeeds = []string{
	"a: b", "a: b c d", "a: \"b\"", "a: 'b'", "a: [b, c]", "a: [\"b, c\", 'd']", "a: []", "a: [ ]", "a:\n  - b\n  - c", "a:\n- b\n- \"c\"",
	"a:", "a: 42", "a: 042", "a: 1.5", "a: 1e3", "a: 0x1F", "a: 0b1", "a: 1_000", "a: 2024-01-02", "a: 2024-1-2", "a: 11/04/2016",
	"a: true", "a: Null", "a: yes", "a: ~", "a: .inf", "a: b # c", "a: b#c", "a: #c", "a: http://x.com:80/y", "a: b: c", "a: b:",
	"a: [b: c]", "a: [b, ]", "a: [b,]", "a: [,b]", "a: [b c, d]", "a: [b]c", "a: [b] # c", "a: {b: c}", "a: |\n  b", "a: b\n  c",
	"a: *b", "a: &b c", "a: !c d", "a: @b", "a: `b", "a: %b", "a: -b", "a: - b", "a: ?b", "a: \"b\" c", "a: \"b", "a: 'b''c'", "a: \"b\\nc\"",
	"a b: c", "a:b", "a : b", " a: b", "\ta: b", "a:\tb", "a: b\t", "a: b ", "# c\na: b\n\n# d\n", "a: b\na: c", "a:\n\n  - b", "a:\n  - b\n - c",
	"a:\n  # c\n  - b", "a:\n  - b # c", "a: b\n  - c", "a: [b]\n  - c", "a: \u00e9", "a: \u0085b", "a: b\u2028c", "a: \ufeffb", "a: \u0080b",
	"\u00e9: b", "true: b", "1: b", "-a: b", "_a: b", ".a: b", "a.b-c: d", "a: b\r\nc: d\r\n", "a: 3f1c2a4e-0d5b-4c1e-9a77-5b2f6f0c8d11",
	"a: 12345678-1234-1234-1234-123456789012", "a: [true, 2024-01-02, 5]", "a: [\"\"]", "a: ''", "a: \"\"", "<<: b", "a: <<", "a: =", "a: b=c",
	"a: b'c", "a: b\"c", "a: [b'c]", "a: [b\"c]", "a: b]", "a: b}", "a: b, c", "a: b [c]", "a: b {c}", "a: b & c", "a: b | c", "a: b > c", "a: b !c",
}

// TestSimpleEqualsYAML: the quick reader and the YAML parser agree.
func TestSimpleEqualsYAML(t *testing.T) {
	t.Parallel()
	accepted := 0
	for _, s := range simpleSeeds {
		for _, end := range []string{"", "\n"} {
			text := []byte("---\n" + s + end)
			if sameAsYAML(t, text, doc.Span{Start: 4, End: len(text)}) {
				accepted++
			}
		}
	}
	if accepted < 50 {
		t.Errorf("only %d seeds were simple", accepted)
	}
}

func FuzzSimpleEqualsYAML(f *testing.F) {
	for _, s := range simpleSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text := []byte("---\n" + s)
		if _, err := doc.Encode(text, doc.UTF8); err != nil {
			return // no text
		}
		sameAsYAML(t, text, doc.Span{Start: 4, End: len(text)})
	})
}

// TestQuote: whatever is written reads back.
func TestQuote(t *testing.T) {
	t.Parallel()
	for _, s := range simpleSeeds {
		checkQuote(t, s)
	}
}

func FuzzQuote(f *testing.F) {
	for _, s := range simpleSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkQuote(t, s) })
}

func checkQuote(t *testing.T, s string) {
	t.Helper()
	if _, err := doc.Encode([]byte(s), doc.UTF8); err != nil {
		return // no text
	}
	for _, style := range []byte{0, '"', '\''} {
		for _, inFlow := range []bool{false, true} {
			text := []byte("k: " + quote(s, style, inFlow) + "\n")
			if inFlow {
				text = []byte("k: [x, " + quote(s, style, true) + "]\n")
			}
			fields, _, why := readYAML(text, doc.Span{End: len(text)})
			if why != "" || len(fields) != 1 || len(fields[0].values) == 0 || fields[0].values[len(fields[0].values)-1] != s {
				t.Fatalf("%q was written as %q and read as %+v", s, text, fields)
			}
		}
	}
}
