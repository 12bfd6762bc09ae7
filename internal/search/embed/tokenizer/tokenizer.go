package tokenizer

// Specials is the number of special tokens that Encode adds to a text.
const Specials = 2

// Tokenizer converts text to the ids of one model.
type Tokenizer struct {
	raw    *spelled // special tokens that are found in the original text
	folded *spelled // special tokens that are found after normalisation; may be nil
	scheme scheme   // of the text between them
	first  int32    // put before every text: [CLS]
	last   int32    // and after it: [SEP]
	size   int
}

// scheme defines how text without special tokens is split.
type scheme interface {
	// normalize applies the steps before the splitting.
	normalize(text string) string

	// appendIDs appends the ids of a normalised text.
	appendIDs(ids []int32, normal string) []int32
}

// Size is one more than the greatest id.
func (t *Tokenizer) Size() int { return t.size }

// Encode returns the ids of a text between the special tokens, however long.
func (t *Tokenizer) Encode(text string) []int32 {
	ids := make([]int32, 1, len(text)/4+Specials)
	ids[0] = t.first
	ids = t.appendText(ids, text)
	return append(ids, t.last)
}

// Count returns the number of tokens of a text, without the special tokens that Encode adds.
func (t *Tokenizer) Count(text string) int {
	return len(t.appendText(make([]int32, 0, len(text)/4), text))
}

// appendText appends the ids of a text that may contain spelled-out special tokens.
func (t *Tokenizer) appendText(ids []int32, text string) []int32 {
	for {
		before, id, after, found := t.raw.cut(text)
		ids = t.appendNormal(ids, t.scheme.normalize(before))
		if !found {
			return ids
		}
		ids = append(ids, id)
		text = after
	}
}

// appendNormal appends the ids of a normalised text, including spelled-out special tokens.
func (t *Tokenizer) appendNormal(ids []int32, normal string) []int32 {
	for t.folded != nil {
		before, id, after, found := t.folded.cut(normal)
		if !found {
			break
		}
		ids = append(t.scheme.appendIDs(ids, before), id)
		normal = after
	}
	return t.scheme.appendIDs(ids, normal)
}
