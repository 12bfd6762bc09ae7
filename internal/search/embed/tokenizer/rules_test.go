package tokenizer

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

func TestRules(t *testing.T) {
	t.Parallel()
	const words = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nÉa\nEa\néa\nea\nE\u0301a\n"
	for _, c := range []struct {
		rules     Rules
		text      string
		lowercase bool
		strip     *bool
		want      int32
	}{
		{rules: Rules{}, text: "Éa", lowercase: true, want: 8},
		{rules: Rules{KeepCase: true, KeepAccents: true}, text: "Éa", want: 5},
		{rules: Rules{KeepCase: true, KeepAccents: true}, text: "E\u0301a", want: 9},
		{rules: Rules{KeepCase: true}, text: "Éa", strip: new(true), want: 6},
		{rules: Rules{KeepAccents: true}, text: "Éa", lowercase: true, strip: new(false), want: 7},
	} {
		if got := RulesFor(c.lowercase, c.strip); got != c.rules {
			t.Errorf("RulesFor(%v, %v) = %+v, want %+v", c.lowercase, c.strip, got, c.rules)
		}
		tok, err := NewWith(words, c.rules)
		if err != nil {
			t.Fatal(err)
		}
		if got := tok.Encode(c.text); !slices.Equal(got, []int32{2, c.want, 3}) {
			t.Errorf("%+v: %v, want %d", c.rules, got, c.want)
		}
	}
}

const goodJSON = `{"normalizer":{"type":"BertNormalizer","lowercase":false,"strip_accents":true},` +
	`"pre_tokenizer":{"type":"BertPreTokenizer"},` +
	`"model":{"type":"WordPiece","vocab":{"b":1,"a":0,"##c":2}}}`

func TestReadJSON(t *testing.T) {
	t.Parallel()
	words, rules, err := ReadJSON([]byte(goodJSON))
	if err != nil || words != "a\nb\n##c\n" || rules != (Rules{KeepCase: true}) {
		t.Errorf("ReadJSON = %q, %+v, %v", words, rules, err)
	}
	for _, c := range []struct {
		old, new string
		code     kb.Code
	}{
		{"{", "", kb.Damaged},
		{`"b":1`, `"b":0`, kb.Damaged},
		{`"b":1`, `"b":3`, kb.Damaged},
		{`"b":1`, `"b":-1`, kb.Damaged},
		{`"b":1`, `"b":"x"`, kb.Damaged},
		{`"b":1`, `"":1`, kb.Damaged},
		{`"b":1`, `"b\nd":1`, kb.Damaged},
		{"WordPiece", "Unigram", kb.Invalid},
		{"BertNormalizer", "Sequence", kb.Invalid},
		{"BertPreTokenizer", "Whitespace", kb.Invalid},
		{`"lowercase":false`, `"clean_text":false`, kb.Invalid},
		{`"lowercase":false`, `"handle_chinese_chars":false`, kb.Invalid},
		{`"vocab"`, `"unk_token":"<unk>","vocab"`, kb.Invalid},
		{`"vocab"`, `"continuing_subword_prefix":"@@","vocab"`, kb.Invalid},
	} {
		if _, _, err := ReadJSON([]byte(strings.Replace(goodJSON, c.old, c.new, 1))); kb.CodeOf(err) != c.code {
			t.Errorf("%s for %s: %v, want %s", c.new, c.old, err, c.code)
		}
	}
}

func FuzzReadJSON(f *testing.F) {
	f.Add([]byte(goodJSON))
	f.Fuzz(func(t *testing.T, b []byte) {
		words, rules, err := ReadJSON(b)
		if err != nil {
			return
		}
		if tok, err := NewWith(words, rules); err == nil {
			tok.Encode("Étude 東 a b c")
		}
	})
}
