package operation

import "encoding/json"

// textResult is the answer of a tool with a format chosen by the caller: data
// or text.
type textResult struct {
	data  any
	words string // "" for data
	image []byte // shown as it is; words then name its type
}

// MarshalJSON writes the data, or the words as the one field of an object.
func (t textResult) MarshalJSON() ([]byte, error) {
	if t.words != "" && t.image == nil {
		return json.Marshal(map[string]string{"result": t.words})
	}
	return json.Marshal(t.data)
}

// CanBeText reports whether answers of the tool may be text, which no schema
// describes.
func (t *Tool) CanBeText() bool { return len(t.Output().Properties) == 0 }

// Words is the answer in words, "" where it is data.
func (t textResult) Words() string {
	if t.image != nil {
		return ""
	}
	return t.words
}

// Image is the answer as an image and its media type, nil where it is none.
func (t textResult) Image() (data []byte, media string) {
	if t.image == nil {
		return nil, ""
	}
	return t.image, t.words
}

// format is the format of an answer.
type format string

const (
	asText format = "text"
	asJSON format = "json"
)

// formatted answers data, or the text that words returns.
func formatted(f format, data any, words func() string) textResult {
	if f == asText {
		if text := words(); text != "" {
			return textResult{words: text}
		}
		return textResult{words: "\n"}
	}
	return textResult{data: data}
}
