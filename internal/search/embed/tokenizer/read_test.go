package tokenizer

import (
	"archive/zip"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

// tokenizerFiles are those of the models that modeldir is tested with, by the
// names of the families.
func tokenizerFiles(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("../modeldir/testdata/*.zip")
	if err != nil || len(names) < 4 {
		t.Fatalf("%d models: %v", len(names), err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		z, err := zip.OpenReader(name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := fs.ReadFile(z, "tokenizer.json")
		if err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		files[strings.TrimSuffix(filepath.Base(name), ".zip")] = b
	}
	return files
}

// smallUnigram has what the models of modeldir leave out.
const smallUnigram = `{"added_tokens":[{"id":0,"content":"<s>","special":true},{"id":1,"content":"</s>"},{"id":5,"content":"<m>","lstrip":true,"rstrip":true}],` +
	`"normalizer":{"type":"Sequence","normalizers":[{"type":"NFKC"},{"type":"Strip","strip_left":true,"strip_right":true},` +
	`{"type":"Replace","pattern":{"String":"x"},"content":"b"},{"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "}]},` +
	`"pre_tokenizer":{"type":"Metaspace","replacement":"▁","add_prefix_space":true},` +
	`"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<s>","type_id":0}},{"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"</s>","type_id":0}}],` +
	`"special_tokens":{"<s>":{"ids":[0]},"</s>":{"ids":[1]}}},` +
	`"model":{"type":"Unigram","unk_id":2,"byte_fallback":false,"vocab":[["<s>",0],["</s>",0],["<unk>",0],["▁a",-1.5],["b",-2]]}}`

// smallBPE has the bytes as its first tokens, and one merge.
func smallBPE(t testing.TB) string {
	vocab := map[string]int{"ab": 256, "<s>": 257, "</s>": 258}
	for b, letter := range byteLetters {
		vocab[string(letter)] = b
	}
	words, err := json.Marshal(vocab)
	if err != nil {
		t.Fatal(err)
	}
	return `{"added_tokens":[{"id":257,"content":"<s>","rstrip":true},{"id":258,"content":"</s>","normalized":true}],"normalizer":null,` +
		`"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":true,"use_regex":true},` +
		`"post_processor":{"type":"Sequence","processors":[{"type":"ByteLevel"},{"type":"RobertaProcessing","sep":["</s>",258],"cls":["<s>",257]}]},` +
		`"model":{"type":"BPE","unk_token":null,"merges":["a b"],"vocab":` + string(words) + `}}`
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, text string
		want       []int32
	}{
		{smallUnigram, "  ａ  axb ", []int32{0, 3, 3, 4, 4, 1}},
		{smallUnigram, "a <m>\tab</s>", []int32{0, 3, 5, 3, 4, 1, 1}},
		{smallUnigram, "a\xff\xfeb", []int32{0, 3, 2, 4, 1}},
		{smallBPE(t), "ab c", []int32{257, ' ', 256, ' ', 'c', 258}},
		{smallBPE(t), "a <s> \nb", []int32{257, ' ', 'a', ' ', 257, ' ', 'b', 258}},
		{smallBPE(t), "ab</s>ab", []int32{257, ' ', 256, 258, ' ', 256, 258}},
		{strings.Replace(smallBPE(t), `"a b"`, `["a","b"]`, 1), "ab", []int32{257, ' ', 256, 258}},
		{strings.Replace(smallBPE(t), `"add_prefix_space":true`, `"add_prefix_space":false`, 1), "ab", []int32{257, 256, 258}},
	} {
		tok, err := Read([]byte(c.file), false)
		if err != nil {
			t.Fatal(err)
		}
		if got := tok.Encode(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
		}
	}
}

// Files that do not name the type of their model are read as those that do.
func TestReadWithoutType(t *testing.T) {
	t.Parallel()
	const text = "Étude 東  a <mask> it's\r\n"
	for name, file := range tokenizerFiles(t) {
		named, err := Read(file, false)
		if err != nil {
			t.Fatal(err)
		}
		cut := regexp.MustCompile(`"type": ?"(WordPiece|Unigram|BPE)", *`).ReplaceAll(file, nil)
		if len(cut) == len(file) {
			t.Fatalf("%s names no type", name)
		}
		unnamed, err := Read(cut, false)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got, want := unnamed.Encode(text), named.Encode(text); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	bpe, bert := smallBPE(t), string(tokenizerFiles(t)["distilbert"])
	for _, c := range []struct {
		file, old, new string
		code           kb.Code
		says           string
	}{
		{smallUnigram, `{`, ``, kb.Damaged, ""},
		{smallUnigram, `"Unigram"`, `"WordLevel"`, kb.Invalid, `"WordLevel"`},
		{smallUnigram, `"Unigram"`, `""`, "", ""},
		{smallUnigram, `"type":"Unigram","unk_id":2,`, ``, kb.Invalid, `""`},
		{smallUnigram, `"unk_id":2`, `"unk_id":null`, kb.Invalid, "without an unknown piece"},
		{smallUnigram, `"unk_id":2`, `"unk_id":5`, kb.Damaged, ""},
		{smallUnigram, `"unk_id":2`, `"unk_id":-1`, kb.Damaged, ""},
		{smallUnigram, `["b",-2]`, `[-2,"b"]`, kb.Damaged, ""},
		{smallUnigram, `["b",-2]`, `["` + strings.Repeat("b", maxPiece+1) + `",-2]`, kb.Damaged, ""},
		{smallUnigram, `"NFKC"`, `"Lowercase"`, kb.Invalid, `"Lowercase"`},
		{smallUnigram, `"NFKC"`, `"Precompiled","precompiled_charsmap":"AA=="`, kb.Damaged, ""},
		{smallUnigram, `"NFKC"`, `"Precompiled","precompiled_charsmap":"////////"`, kb.Damaged, ""},
		{smallUnigram, `"NFKC"`, `"Precompiled","precompiled_charsmap":"!"`, kb.Damaged, ""},
		{smallUnigram, `"String":"x"`, `"String":""`, kb.Invalid, "pattern"},
		{smallUnigram, `"content":"b"`, `"content":"bb"`, kb.Invalid, "pattern"},
		{smallUnigram, ` {2,}`, `\\s+`, kb.Invalid, "pattern"},
		{smallUnigram, `"Metaspace"`, `"Whitespace"`, kb.Invalid, `"Whitespace"`},
		{smallUnigram, `"replacement":"▁"`, `"replacement":"_"`, kb.Invalid, `"Metaspace"`},
		{smallUnigram, `"add_prefix_space":true`, `"prepend_scheme":"first"`, kb.Invalid, `"first"`},
		{smallUnigram, `"TemplateProcessing"`, `"Other"`, kb.Invalid, `"Other"`},
		{smallUnigram, `"ids":[0]`, `"ids":[0,1]`, kb.Damaged, ""},
		{smallUnigram, `"ids":[0]`, `"ids":[6]`, kb.Damaged, ""},
		{smallUnigram, `"id":"A"`, `"id":"B"`, kb.Invalid, "before a text"},
		{smallUnigram, `"id":5`, `"id":-5`, kb.Damaged, ""},
		{smallUnigram, `"id":5`, `"id":1048576`, kb.Damaged, ""},
		{smallUnigram, `"content":"<m>"`, `"content":""`, kb.Damaged, ""},
		{smallUnigram, `"lstrip":true`, `"single_word":true`, kb.Invalid, "word of its own"},
		{smallUnigram, `[{"type":"NFKC"}`, `[{"type":"NFKC"}` + strings.Repeat(`,{"type":"NFKC"}`, maxSteps), kb.Invalid, "steps"},
		{bpe, `"Ġ"`, `"Ġx"`, kb.Invalid, "without the byte 32"},
		{bpe, `"a b"`, `"a zz"`, kb.Damaged, ""},
		{bpe, `"a b"`, `"ab"`, kb.Damaged, ""},
		{bpe, `"a b"`, `1`, kb.Damaged, ""},
		{bpe, `"ab":256`, `"ab":-1`, kb.Damaged, ""},
		{bpe, `"ab":256`, `"ab":2147483647`, kb.Damaged, ""},
		{bpe, `"unk_token"`, `"end_of_word_suffix":"</w>","unk_token"`, kb.Invalid, "parts of words"},
		{bpe, `"unk_token"`, `"dropout":0.1,"unk_token"`, kb.Invalid, ""},
		{bpe, `"pre_tokenizer":{"type":"ByteLevel"`, `"pre_tokenizer":{"type":"Digits"`, kb.Invalid, `"Digits"`},
		{bpe, `"use_regex":true`, `"use_regex":false`, kb.Invalid, `"ByteLevel"`},
		{bpe, `["</s>",258]`, `["</s>"]`, kb.Damaged, ""},
		{bpe, `"cls":["<s>",257]`, `"x":1`, kb.Damaged, ""},
		{bert, `"WordPiece"`, `"BPE"`, kb.Invalid, `"BertPreTokenizer"`},
		{bert, `"[UNK]"`, `"[XXX]"`, kb.Invalid, "WordPiece"},
	} {
		changed := strings.Replace(c.file, c.old, c.new, 1)
		if c.old == `"[UNK]"` {
			changed = strings.ReplaceAll(c.file, c.old, c.new)
		}
		if changed == c.file {
			t.Fatalf("nothing to replace: %s", c.old)
		}
		_, err := Read([]byte(changed), false)
		if (err == nil) != (c.code == "") || err != nil && (kb.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%.60s for %.60s: %v, want %s with %q", c.new, c.old, err, c.code, c.says)
		}
	}
	if _, err := Read([]byte(smallUnigram), true); kb.CodeOf(err) != kb.Invalid {
		t.Errorf("folding case before Unigram: %v, want %s", err, kb.Invalid)
	}
}

// What a step makes of a text is in proportion to it, however often files
// have it do so.
func TestReadBoundsGrowth(t *testing.T) {
	t.Parallel()
	step := `{"type":"Replace","pattern":{"String":"b"},"content":"𝕓"},{"type":"NFKC"},`
	file := strings.Replace(smallUnigram, `[{"type":"NFKC"}`, `[`+strings.Repeat(step, 6)+`{"type":"NFKD"}`, 1)
	tok, err := Read([]byte(file), false)
	if err != nil {
		t.Fatal(err)
	}
	if n := tok.Count(strings.Repeat("b", 1000)); n > 1001 {
		t.Errorf("%d tokens of 1000 letters", n)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(smallUnigram), "a b")
	f.Add([]byte(smallBPE(f)), "a b")
	for _, file := range tokenizerFiles(f) {
		f.Add(file, "Étude 東 <mask> a  b\r\n\u0301")
	}
	f.Fuzz(func(t *testing.T, file []byte, text string) {
		tok, err := Read(file, false)
		if err != nil {
			if code := kb.CodeOf(err); code != kb.Damaged && code != kb.Invalid {
				t.Fatalf("%v has code %s", err, code)
			}
			return
		}
		for _, id := range tok.Encode(text) {
			if id < 0 || int(id) >= tok.Size() {
				t.Fatalf("%q: token %d of %d", text, id, tok.Size())
			}
		}
	})
}
