package modeldir

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/embed/embedtest"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/embed/model"
)

func newEmbedder(t testing.TB, dir fs.FS) *Embedder {
	t.Helper()
	e, err := New(Options{Dir: dir, Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestContract(t *testing.T) {
	t.Parallel()
	dir := directory(wordCounts(t).file(t, "F32", ""))
	embedtest.Run(t, func(t *testing.T) embed.Embedder { return newEmbedder(t, dir) })
}

func TestContractWithPrefixes(t *testing.T) {
	t.Parallel()
	dir := directory(wordCounts(t).file(t, "F32", ""))
	dir[promptsFile] = text(`{"prompts":{"query":"query: ","document":"windowsill "}}`)
	dir[lengthFile] = text(`{"max_seq_length":100}`)
	embedtest.Run(t, func(t *testing.T) embed.Embedder { return newEmbedder(t, dir) })
}

// The weights of a directory are those of package model, whose tests hold them
// against the definition, in every type and with both poolings.
func TestWeightsOfEveryType(t *testing.T) {
	t.Parallel()
	all, weights := random(t)
	k, err := kernel.Select("")
	if err != nil {
		t.Fatal(err)
	}
	const sentence = "where is the cat ? the cat sleeps on the warm windowsill ."
	for _, dtype := range []string{"F32", "F16", "BF16"} {
		for _, prefix := range []string{"", "bert."} {
			for pooling, settings := range map[model.Pooling]string{
				model.CLS:  `{"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":false,"include_prompt":true}`,
				model.Mean: `{"pooling_mode_cls_token":false,"pooling_mode_mean_tokens":true}`,
			} {
				dir := directory(all.file(t, dtype, prefix))
				dir[poolingFile] = text(settings)
				e := newEmbedder(t, dir)
				got, err := e.Embed(t.Context(), []string{sentence}, embed.Passage)
				if err != nil {
					t.Fatal(err)
				}
				info := shape
				info.Pooling = pooling
				m, err := model.FromWeights(info, weights, k, 1)
				if err != nil {
					t.Fatal(err)
				}
				tok, err := e.tokenizer()
				if err != nil {
					t.Fatal(err)
				}
				want, err := m.Embed(t.Context(), [][]int32{tok.Encode(sentence)})
				if err != nil {
					t.Fatal(err)
				}
				for i, v := range want[0] {
					if got[0][i] != v {
						t.Fatalf("%s, %q, pooling %q: %v, want %v", dtype, prefix, pooling, got[0][i], v)
					}
				}
			}
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	file := wordCounts(t).file(t, "F32", "")
	for name, c := range map[string]struct {
		file, text string
		want       func(config) bool
	}{
		"no pooling":       {poolingFile, "", func(c config) bool { return c.info.Pooling == model.Mean }},
		"cls":              {poolingFile, `{"pooling_mode_cls_token":true}`, func(c config) bool { return c.info.Pooling == model.CLS }},
		"length":           {lengthFile, `{"max_seq_length":64}`, func(c config) bool { return c.maxTokens == 64 }},
		"longer":           {lengthFile, `{"max_seq_length":640}`, func(c config) bool { return c.maxTokens == 128 }},
		"no length":        {lengthFile, `{"max_seq_length":null}`, func(c config) bool { return c.maxTokens == 128 }},
		"usual length":     {rulesFile, `{"model_max_length":64}`, func(c config) bool { return c.maxTokens == 64 }},
		"no usual length":  {rulesFile, `{"model_max_length":1000000000000000019884624838656}`, func(c config) bool { return c.maxTokens == 128 }},
		"pooling by name":  {poolingFile, `{"pooling_mode":"cls"}`, func(c config) bool { return c.info.Pooling == model.CLS }},
		"lowercase":        {lengthFile, `{"do_lower_case":true}`, func(c config) bool { return c.lowercase }},
		"prompts":          {promptsFile, `{"prompts":{"query":"q","passage":"p"}}`, func(c config) bool { return c.queryPrefix == "q" && c.passagePrefix == "p" }},
		"document":         {promptsFile, `{"prompts":{"query":"q","document":"d"}}`, func(c config) bool { return c.passagePrefix == "d" }},
		"usual prompt":     {promptsFile, `{"prompts":{"query":"q","x":"y"},"default_prompt_name":"x"}`, func(c config) bool { return c.queryPrefix == "q" && c.passagePrefix == "y" }},
		"no usual prompt":  {promptsFile, `{"prompts":{"query":"q"},"default_prompt_name":null}`, func(c config) bool { return c.queryPrefix == "q" && c.passagePrefix == "" }},
		"another epsilon":  {configFile, strings.Replace(configJSON, "1e-12", "1e-5", 1), func(c config) bool { return c.info.NormEpsilon == 1e-5 }},
		"approximate gelu": {configFile, strings.Replace(configJSON, `"gelu"`, `"gelu_new"`, 1), func(c config) bool { return true }},
	} {
		dir := directory(file)
		dir[c.file] = text(strings.Replace(c.text, "%d", "20", 1))
		if c.text == "" {
			delete(dir, c.file)
		}
		got, err := readConfig(dir)
		if err != nil || !c.want(got) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestPrefixesCanBeReplaced(t *testing.T) {
	t.Parallel()
	dir := directory(wordCounts(t).file(t, "F32", ""))
	dir[promptsFile] = text(`{"prompts":{"query":"query: ","passage":"the "}}`)
	e, err := New(Options{Dir: dir, Name: "test", QueryPrefix: new("cat "), PassagePrefix: new("")})
	if err != nil {
		t.Fatal(err)
	}
	query, err := e.Embed(t.Context(), []string{"stone"}, embed.Query)
	if err != nil {
		t.Fatal(err)
	}
	passage, err := e.Embed(t.Context(), []string{"cat stone"}, embed.Passage)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range query[0] {
		if passage[0][i] != v {
			t.Fatal("the prefixes were not replaced")
		}
	}
}

func TestTokenizerFiles(t *testing.T) {
	t.Parallel()
	file := wordCounts(t).file(t, "F32", "")
	vocab := map[string]int{}
	for i, w := range words {
		vocab[w] = i
	}
	tokenizerJSON := `{"normalizer":{"type":"BertNormalizer","lowercase":false},"pre_tokenizer":{"type":"BertPreTokenizer"},` +
		`"model":{"type":"WordPiece","vocab":` + marshal(t, vocab) + `}}`
	const lower, upper = 6, 19
	for name, c := range map[string]struct {
		files map[string]string
		want  int32 // the token of "Cat"
	}{
		"vocab.txt":                {nil, lower},
		"vocab.txt, line ends":     {map[string]string{vocabFile: strings.Join(words, "\r\n")}, lower},
		"cased":                    {map[string]string{rulesFile: `{"do_lower_case":false}`}, upper},
		"tokenizer.json":           {map[string]string{tokenizerFile: tokenizerJSON}, upper},
		"lower case, then a cased": {map[string]string{tokenizerFile: tokenizerJSON, lengthFile: `{"do_lower_case":true}`}, lower},
	} {
		dir := directory(file)
		for at, content := range c.files {
			dir[at] = text(content)
		}
		tok, err := newEmbedder(t, dir).tokenizer()
		if err != nil {
			t.Fatal(err)
		}
		if ids := tok.Encode("Cat"); len(ids) != 3 || ids[1] != c.want {
			t.Errorf("%s: %v, want %d", name, ids, c.want)
		}
	}
}

// A named pipe would keep whoever opens it waiting for ever.
func TestNamedPipesAreNotOpened(t *testing.T) {
	t.Parallel()
	all, _ := random(t)
	for _, name := range []string{configFile, weightsFile, vocabFile} {
		dir := directory(all.file(t, "F32", ""))
		dir[name].Mode |= fs.ModeNamedPipe
		e, err := New(Options{Dir: pipes{dir}, Name: "test"})
		if err == nil {
			_, err = e.Embed(t.Context(), []string{"cat"}, embed.Query)
		}
		if kb.CodeOf(err) != kb.Damaged || strings.Contains(err.Error(), errPipe.Error()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

var errPipe = errors.New("opened a pipe")

type pipes struct{ fstest.MapFS }

func (p pipes) Open(name string) (fs.File, error) {
	if f := p.MapFS[name]; f != nil && f.Mode&fs.ModeNamedPipe != 0 {
		return nil, errPipe
	}
	return p.MapFS.Open(name)
}

func (p pipes) Stat(name string) (fs.FileInfo, error) { return p.MapFS.Stat(name) }

func TestHostileDirectories(t *testing.T) {
	t.Parallel()
	all, _ := random(t)
	whole := all.file(t, "F32", "")
	replaceConfig := func(old, new string) map[string]string {
		return map[string]string{configFile: strings.Replace(strings.Replace(configJSON, "%d", "20", 1), old, new, 1)}
	}
	claimed := func(old, new string) map[string]string { // in the header of the weights, of the same length
		if len(old) != len(new) || !bytes.Contains(whole, []byte(old)) {
			t.Fatalf("%q for %q", new, old)
		}
		return map[string]string{weightsFile: strings.Replace(string(whole), old, new, 1)}
	}
	huge := binary.LittleEndian.AppendUint64(nil, math.MaxInt64)
	for name, c := range map[string]struct {
		files map[string]string // "" removes
		code  kb.Code
	}{
		"no config":           {map[string]string{configFile: ""}, kb.NotFound},
		"no weights":          {map[string]string{weightsFile: ""}, kb.NotFound},
		"no words":            {map[string]string{vocabFile: ""}, kb.NotFound},
		"broken config":       {map[string]string{configFile: "{"}, kb.Damaged},
		"broken pooling":      {map[string]string{poolingFile: "[]"}, kb.Damaged},
		"broken prompts":      {map[string]string{promptsFile: `{"prompts":1}`}, kb.Damaged},
		"broken length":       {map[string]string{lengthFile: `{"max_seq_length":"x"}`}, kb.Damaged},
		"broken modules":      {map[string]string{modulesFile: `{}`}, kb.Damaged},
		"broken tokenizer":    {map[string]string{tokenizerFile: `{`}, kb.Damaged},
		"huge config":         {map[string]string{configFile: strings.Repeat(" ", maxConfig+1)}, kb.Damaged},
		"another type":        {replaceConfig(`"bert"`, `"gpt2"`), kb.Invalid},
		"no model_type":       {replaceConfig(`"model_type":"bert",`, ``), kb.Invalid},
		"other buckets":       {replaceConfig(`"bert"`, `"mpnet","relative_attention_num_buckets":16`), kb.Invalid},
		"padding beyond":      {replaceConfig(`"bert"`, `"roberta","pad_token_id":128`), kb.Invalid},
		"negative padding":    {replaceConfig(`"bert"`, `"roberta","pad_token_id":-2`), kb.Invalid},
		"many token types":    {replaceConfig(`"type_vocab_size":2`, `"type_vocab_size":1000000`), kb.Invalid},
		"several poolings":    {map[string]string{poolingFile: `{"pooling_mode":["mean","cls"]}`}, kb.Invalid},
		"weighted pooling":    {map[string]string{poolingFile: `{"pooling_mode":"weightedmean"}`}, kb.Invalid},
		"a step of others":    {map[string]string{modulesFile: `[{"type":"custom_st.Transformer"}]`}, kb.Invalid},
		"another activation":  {replaceConfig(`"gelu"`, `"relu"`), kb.Invalid},
		"relative positions":  {replaceConfig(`"hidden_act"`, `"position_embedding_type":"relative_key","hidden_act"`), kb.Invalid},
		"one token type":      {replaceConfig(`"type_vocab_size":2`, `"type_vocab_size":1`), kb.Invalid},
		"no epsilon":          {replaceConfig(`1e-12`, `0`), kb.Invalid},
		"many layers":         {replaceConfig(`"num_hidden_layers":2`, `"num_hidden_layers":1000000`), kb.Invalid},
		"more layers":         {replaceConfig(`"num_hidden_layers":2`, `"num_hidden_layers":3`), kb.Invalid},
		"negative layers":     {replaceConfig(`"num_hidden_layers":2`, `"num_hidden_layers":-2`), kb.Invalid},
		"absurd width":        {replaceConfig(`"hidden_size":64`, `"hidden_size":1048576`), kb.Invalid},
		"odd width":           {replaceConfig(`"hidden_size":64`, `"hidden_size":63`), kb.Invalid},
		"absurd words":        {replaceConfig(`"vocab_size":20`, `"vocab_size":1000000`), kb.Invalid},
		"too few words":       {replaceConfig(`"vocab_size":20`, `"vocab_size":19`), kb.Invalid},
		"absurd positions":    {replaceConfig(`"max_position_embeddings":128`, `"max_position_embeddings":1000000`), kb.Invalid},
		"more positions":      {replaceConfig(`"max_position_embeddings":128`, `"max_position_embeddings":512`), kb.Invalid},
		"max pooling":         {map[string]string{poolingFile: `{"pooling_mode_max_tokens":true}`}, kb.Invalid},
		"two poolings":        {map[string]string{poolingFile: `{"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":true}`}, kb.Invalid},
		"prompt left out":     {map[string]string{poolingFile: `{"pooling_mode_mean_tokens":true,"include_prompt":false}`}, kb.Invalid},
		"a dense step":        {map[string]string{modulesFile: `[{"type":"sentence_transformers.models.Dense"}]`}, kb.Invalid},
		"pooling elsewhere":   {map[string]string{modulesFile: `[{"type":"sentence_transformers.models.Transformer"},{"path":"../x","type":"sentence_transformers.models.Pooling"}]`}, kb.Damaged},
		"steps in disorder":   {map[string]string{modulesFile: `[{"type":"sentence_transformers.models.Pooling"},{"type":"sentence_transformers.models.Transformer"}]`}, kb.Invalid},
		"normalised first":    {map[string]string{modulesFile: `[{"type":"sentence_transformers.models.Transformer"},{"type":"sentence_transformers.models.Normalize"}]`}, kb.Invalid},
		"no room":             {map[string]string{lengthFile: `{"max_seq_length":2}`}, kb.Invalid},
		"no room beside":      {map[string]string{lengthFile: `{"max_seq_length":4}`, promptsFile: `{"prompts":{"query":"query: "}}`}, kb.Invalid},
		"another tokenizer":   {map[string]string{tokenizerFile: `{"model":{"type":"BPE"}}`}, kb.Invalid},
		"words without [SEP]": {map[string]string{vocabFile: "a\nb\n"}, kb.Invalid},
		"ideographs":          {map[string]string{rulesFile: `{"tokenize_chinese_chars":false}`}, kb.Invalid},
		"short weights":       {map[string]string{weightsFile: string(whole[:5])}, kb.Damaged},
		"half the header":     {map[string]string{weightsFile: string(whole[:500])}, kb.Damaged},
		"half the weights":    {map[string]string{weightsFile: string(whole[:len(whole)/2])}, kb.Damaged},
		"a huge header":       {map[string]string{weightsFile: string(huge)}, kb.Damaged},
		"integers":            {map[string]string{weightsFile: strings.ReplaceAll(string(whole), `"F32"`, `"I32"`)}, kb.Invalid},
		"transposed":          {claimed(`"shape":[96,64]`, `"shape":[64,96]`), kb.Invalid},
		"an absurd shape":     {claimed(`"shape":[96,64]`, `"shape":[1e9,9]`), kb.Damaged},
		"another shape":       {claimed(`"shape":[96,64]`, `"shape":[99,99]`), kb.Damaged},
		"a missing tensor":    {claimed(`"embeddings.LayerNorm.bias"`, `"embeddings.LayerNorm.mias"`), kb.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			dir := directory(whole)
			for at, content := range c.files {
				if dir[at] = text(content); content == "" {
					delete(dir, at)
				}
			}
			e, err := New(Options{Dir: dir, Name: "test"})
			if err == nil {
				_, err = e.Embed(t.Context(), []string{"cat"}, embed.Query)
			}
			if kb.CodeOf(err) != c.code {
				t.Errorf("error %v, want %s", err, c.code)
			}
		})
	}
}

func TestWeightsThatAreNoNumbers(t *testing.T) {
	t.Parallel()
	all, _ := random(t)
	all["encoder.layer.1.output.LayerNorm.bias"].values[3] = float32(math.NaN())
	e := newEmbedder(t, directory(all.file(t, "F32", "")))
	if _, err := e.Embed(t.Context(), []string{"cat"}, embed.Query); kb.CodeOf(err) != kb.Damaged {
		t.Errorf("error %v, want %s", err, kb.Damaged)
	}
}

// counting notes which files are opened.
type counting struct {
	fstest.MapFS
	opened map[string]int
}

func (c counting) Open(name string) (fs.File, error) {
	c.opened[name]++
	return c.MapFS.Open(name)
}

func TestLoadsWhatItNeedsOnce(t *testing.T) {
	t.Parallel()
	all, _ := random(t)
	dir := counting{directory(all.file(t, "F32", "")), map[string]int{}}
	e := newEmbedder(t, dir)
	if dir.opened[weightsFile]+dir.opened[vocabFile] != 0 {
		t.Errorf("New opened %v", dir.opened)
	}
	if _, err := e.CountTokens("cat"); err != nil || dir.opened[weightsFile] != 0 {
		t.Errorf("CountTokens opened %v, %v", dir.opened, err)
	}
	for range 3 {
		if _, err := e.Embed(t.Context(), []string{"cat"}, embed.Query); err != nil {
			t.Fatal(err)
		}
	}
	if dir.opened[weightsFile] != 1 || dir.opened[vocabFile] != 1 {
		t.Errorf("opened %v", dir.opened)
	}
}
