package analysis

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// show writes tokens as term@position, with ? after a single.
func show(text string, query bool) string {
	var a Analyzer
	var parts []string
	a.run(text, query, func(t Token) {
		s := fmt.Sprintf("%s@%d", t.Term, t.Pos)
		if t.Single {
			s += "?"
		}
		parts = append(parts, s)
	})
	return strings.Join(parts, " ")
}

func TestAnalysis(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, document, query string }{
		{"Hello, World", "hello@0 world@1", "hello@0 world@1"},
		{"node.js machine-learning foo_bar", "node@0 js@1 machine@2 learning@3 foo@4 bar@5", ""},
		{"std::vector<T>", "std@0 vector@1 t@2", ""},
		{"v1.2.3 /usr/lib http://x.io/a?b=1", "v1@0 2@1 3@2 usr@3 lib@4 http@5 x@6 io@7 a@8 b@9 1@10", ""},
		{"it's John's don't o'neil", "it@0 john@1 don@2 t@3 o@4 neil@5", ""},
		{"it’s the dogs’ Sachs's", "it@0 the@1 dogs@2 sachs@3", ""},
		{"#tag", "tag@0", ""},
		{"C++ C# F# A++", "c++@0 c#@1 f#@2 a++@3", ""},
		{"C++20 C c#a", "c++@0 20@1 c@2 c@3 a@4", ""},
		{"Notepad++ x", "notepad@0 notepad++@0 x@1", "notepad++@0 x@1"},
		{".NET asp.net .network", "net@0 .net@0 asp@1 net@2 network@3", ".net@0 asp@1 net@2 network@3"},
		{"1++ 2#", "1@0 2@1", ""},
		{"Café NAÏVE Straße Øre Łódź", "cafe@0 naive@1 strasse@2 ore@3 lodz@4", ""},
		{"cafe\u0301 ﬁne ＦＵＬＬ x²", "cafe@0 fine@1 full@2 x2@3", ""},
		{"ΣΊΣΥΦΟΣ σίσυφος Ёлка", "σισυφοσ@0 σισυφοσ@1 елка@2", ""},
		{"İstanbul ISTANBUL ılık", "istanbul@0 istanbul@1 ilik@2", ""},
		{"日本語 go", "日本@0 本語@1 語@2 go@3", "日本@0 本語@1 go@3"},
		{"日", "日@0", "日@0?"},
		{"カタカナ ｶﾀｶﾅ", "カタ@0 タカ@1 カナ@2 ナ@3 カタ@4 タカ@5 カナ@6 ナ@7", "カタ@0 タカ@1 カナ@2 カタ@4 タカ@5 カナ@6"},
		{"ｶﾞ", "ガ@0", "ガ@0?"},
		{"한국어", "한국@0 국어@1 어@2", "한국@0 국어@1"},
		{"abc日本", "abc@0 日本@1 本@2", "abc@0 日本@1"},
		{"हिन्दी", "हिन्दी@0", ""},
		{"I ❤️ 🎉👍🏽", "i@0 ❤@1 🎉@2 👍@3", ""},
		{"Foo™ a → b ─", "foo@0 a@1 b@2", ""},
		{"\xff\xfe a\xffb", "a@0 b@1", ""},
		{" \t\n-.'", "", ""},
		{"\u0301\u0301 a", "a@0", ""},
	} {
		if c.query == "" {
			c.query = c.document
		}
		if got := show(c.text, false); got != c.document {
			t.Errorf("document %q:\n got %s\nwant %s", c.text, got, c.document)
		}
		if got := show(c.text, true); got != c.query {
			t.Errorf("query %q:\n got %s\nwant %s", c.text, got, c.query)
		}
	}
}

func TestLongWordsAreCutAlike(t *testing.T) {
	t.Parallel()
	for _, word := range []string{strings.Repeat("x", 500), strings.Repeat("é", 5000), strings.Repeat("ж", 500)} {
		document, query := show(word, false), show(word, true)
		if document != query || len(document) > MaxTerm+2 || len(document) < MaxTerm-4 {
			t.Errorf("%d bytes give %d in documents, %d in queries", len(word), len(document), len(query))
		}
	}
}

func TestASCIIDoesNotAllocate(t *testing.T) {
	// Serial: it counts allocations.
	text := strings.Repeat("The quick C++ developer's node.js vector<T>, ", 50)
	var a Analyzer
	n := 0
	count := func(Token) { n++ }
	a.Document(text, count)
	if allocs := testing.AllocsPerRun(10, func() { a.Document(text, count) }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, s := range []string{"a++b.net's", "日本語ｶﾞ́", "ก่อน", "é\u0301\u3099", "\xff.net", "☃\ufe0f'S"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var a Analyzer
		for _, query := range []bool{false, true} {
			last := -1
			n := a.run(text, query, func(tok Token) {
				switch {
				case len(tok.Term) == 0 || len(tok.Term) > MaxTerm || tok.Term[0] == 0:
					t.Fatalf("%q: term %q", text, tok.Term)
				case !utf8.Valid(tok.Term) && utf8.ValidString(text):
					t.Fatalf("%q: term %q is not UTF-8", text, tok.Term)
				case tok.Pos < last || query && tok.Pos == last:
					t.Fatalf("%q: position %d after %d", text, tok.Pos, last)
				case tok.Start >= tok.End || tok.End > len(text) || tok.Start < 0:
					t.Fatalf("%q: bytes %d to %d", text, tok.Start, tok.End)
				}
				last = tok.Pos
			})
			if n <= last {
				t.Fatalf("%q: %d positions, the last is %d", text, n, last)
			}
		}
	})
}
