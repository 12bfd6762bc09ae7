package tokenizer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/cairn-kb/cairn/internal/kb"
)

// maxSteps bounds the steps of a sequence.
const maxSteps = 16

// stepFile is a step of a tokenizer.json, or a sequence of them.
type stepFile struct {
	Type  string            `json:"type"`
	Steps []json.RawMessage `json:"normalizers"`
	Parts []json.RawMessage `json:"pretokenizers"`
	Ends  []json.RawMessage `json:"processors"`

	CharsMap []byte `json:"precompiled_charsmap"`
	Left     bool   `json:"strip_left"`
	Right    bool   `json:"strip_right"`
	Content  string `json:"content"`
	Pattern  struct {
		String *string
		Regex  *string
	} `json:"pattern"`

	Replacement string  `json:"replacement"`
	Prefix      *bool   `json:"add_prefix_space"`
	Scheme      *string `json:"prepend_scheme"`
	Split       *bool   `json:"split"`
	Regex       *bool   `json:"use_regex"`

	First   pairFile       `json:"cls"`
	Last    pairFile       `json:"sep"`
	Single  []templatePart `json:"single"`
	Special map[string]struct {
		IDs []int `json:"ids"`
	} `json:"special_tokens"`
}

// readSteps reads a single step, or those of a sequence, which are in the field that in
// returns.
func readSteps(raw json.RawMessage, in func(stepFile) []json.RawMessage) ([]stepFile, error) {
	if isNull(raw) {
		return nil, nil
	}
	var one stepFile
	if err := decode(raw, &one); err != nil {
		return nil, err
	}
	if one.Type != "Sequence" {
		return []stepFile{one}, nil
	}
	parts := in(one)
	if len(parts) > maxSteps {
		return nil, refused("has a sequence of %d steps", len(parts))
	}
	steps := make([]stepFile, len(parts))
	for i, part := range parts {
		if err := decode(part, &steps[i]); err != nil {
			return nil, err
		}
	}
	return steps, nil
}

// readNormalizers reads the steps that are applied to a text before it is split.
func readNormalizers(raw json.RawMessage) ([]normalizer, error) {
	files, err := readSteps(raw, func(f stepFile) []json.RawMessage { return f.Steps })
	if err != nil {
		return nil, err
	}
	var steps []normalizer
	maps := 0
	for _, f := range files {
		if f.Type == "Precompiled" {
			maps++
		}
		if maps > 1 { // each could multiply the length of a text
			return nil, refused("replaces characters by several maps")
		}
		s, err := f.normalizer()
		if err != nil {
			return nil, err
		}
		if s != nil {
			steps = append(steps, s)
		}
	}
	return steps, nil
}

// forms are Unicode's normal forms by their names.
var forms = map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD}

// normalizer returns a step, nil for one that does nothing.
func (f stepFile) normalizer() (normalizer, error) {
	if normal, ok := forms[f.Type]; ok {
		return form{normal}, nil
	}
	switch f.Type {
	case "Precompiled":
		if len(f.CharsMap) == 0 {
			return nil, nil
		}
		return newCharsMap(f.CharsMap)
	case "Strip":
		return strip{f.Left, f.Right}, nil
	case "Replace":
		return f.replace()
	}
	return nil, refused("normalises by %.40q", f.Type)
}

// replace returns a step that cannot lengthen a text, in characters: other steps could
// exhaust memory.
func (f stepFile) replace() (normalizer, error) {
	if p := f.Pattern.String; p != nil && *p != "" && utf8.RuneCountInString(f.Content) <= utf8.RuneCountInString(*p) {
		return replace{*p, f.Content}, nil
	}
	if p := f.Pattern.Regex; p != nil && *p == " {2,}" && utf8.RuneCountInString(f.Content) <= 2 {
		return squeeze{f.Content}, nil
	}
	return nil, refused("replaces by a pattern that is not known here")
}

// readWordStarts reads how a Unigram tokenizer represents spaces.
func readWordStarts(raw json.RawMessage) (w wordStarts, err error) {
	parts, err := readSteps(raw, func(f stepFile) []json.RawMessage { return f.Parts })
	if err != nil {
		return w, err
	}
	if len(parts) == 2 && parts[0].Type == "WhitespaceSplit" {
		w.split, parts = true, parts[1:]
	}
	if len(parts) != 1 || parts[0].Type != "Metaspace" || parts[0].Replacement != wordStart {
		return w, refused("splits words for Unigram by %s", types(parts))
	}
	f := parts[0]
	w.cut = f.Split == nil || *f.Split
	w.prefix = f.Prefix == nil || *f.Prefix
	if f.Scheme != nil {
		switch {
		case *f.Scheme == "always":
		case *f.Scheme == "never":
			w.prefix = false
		default:
			return w, refused("marks the starts of words by the scheme %.40q", *f.Scheme)
		}
	}
	return w, nil
}

// readByteLevel reads how a BPE tokenizer splits words, and whether it adds a space to the
// start of a text.
func readByteLevel(raw json.RawMessage) (prefix bool, err error) {
	parts, err := readSteps(raw, func(f stepFile) []json.RawMessage { return f.Parts })
	if err != nil {
		return false, err
	}
	if len(parts) != 1 || parts[0].Type != "ByteLevel" || parts[0].Regex != nil && !*parts[0].Regex {
		return false, refused("splits words for BPE by %s", types(parts))
	}
	return parts[0].Prefix == nil || *parts[0].Prefix, nil
}

// types lists the types of steps for messages.
func types(parts []stepFile) string {
	var names []string
	for _, p := range parts[:min(len(parts), 4)] {
		names = append(names, fmt.Sprintf("%.40q", p.Type))
	}
	return cmp.Or(strings.Join(names, ", "), "nothing")
}

// pairFile is a token with its id: ["</s>",2].
type pairFile struct {
	id    int
	there bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *pairFile) UnmarshalJSON(b []byte) error {
	var raw [2]json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	p.there = true
	return json.Unmarshal(raw[1], &p.id)
}

// templatePart is a part of a template for texts.
type templatePart struct {
	Special *struct {
		ID string `json:"id"`
	} `json:"SpecialToken"`
	Sequence *struct {
		ID string `json:"id"`
	} `json:"Sequence"`
}

// readAround reads the tokens before and after a text.
func readAround(raw json.RawMessage) (first, last int, err error) {
	steps, err := readSteps(raw, func(f stepFile) []json.RawMessage { return f.Ends })
	if err != nil {
		return first, last, err
	}
	found := 0
	for _, f := range steps {
		switch f.Type {
		case "ByteLevel": // ByteLevel only affects the reported positions of tokens
			continue
		case "RobertaProcessing", "BertProcessing":
			if !f.First.there || !f.Last.there {
				return first, last, kb.Errorf(kb.Damaged, "tokenizer.json does not define the tokens around a text")
			}
			first, last = f.First.id, f.Last.id
		case "TemplateProcessing":
			if first, last, err = f.template(); err != nil {
				return first, last, err
			}
		default:
			return first, last, refused("puts tokens around a text by %.40q", f.Type)
		}
		found++
	}
	if found != 1 {
		return first, last, refused("does not put one token before a text and one after it")
	}
	return first, last, nil
}

// template reads a template of a token, the text, and a token.
func (f stepFile) template() (first, last int, err error) {
	p := f.Single
	if len(p) != 3 || p[0].Special == nil || p[1].Sequence == nil || p[1].Sequence.ID != "A" || p[2].Special == nil {
		return first, last, refused("does not put one token before a text and one after it")
	}
	a, b := f.Special[p[0].Special.ID].IDs, f.Special[p[2].Special.ID].IDs
	if len(a) != 1 || len(b) != 1 {
		return first, last, kb.Errorf(kb.Damaged, "tokenizer.json does not name the tokens around a text")
	}
	return a[0], b[0], nil
}
