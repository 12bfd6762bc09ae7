package operation

import "encoding/json"

// told is the answer of a tool whose caller chooses how it is told: as data, or in
// words.
type told struct {
	data  any
	words string // "" for data
	image []byte // shown as it is; words then name its type
}

// MarshalJSON writes the data, or the words as the one field of an object.
func (t told) MarshalJSON() ([]byte, error) {
	if t.words != "" && t.image == nil {
		return json.Marshal(map[string]string{"result": t.words})
	}
	return json.Marshal(t.data)
}

// Told reports whether answers of the tool may be words, so that there is no schema
// to say of them.
func (t *Tool) Told() bool { return len(t.Output().Properties) == 0 }

// Words is the answer in words, "" where it is data.
func (t told) Words() string {
	if t.image != nil {
		return ""
	}
	return t.words
}

// Image is the answer as an image and its media type, nil where it is none.
func (t told) Image() (data []byte, media string) {
	if t.image == nil {
		return nil, ""
	}
	return t.image, t.words
}

// format is how an answer is told.
type format string

const (
	asText format = "text"
	asJSON format = "json"
)

// tell answers data, or what words make of it.
func tell(f format, data any, words func() string) told {
	if f == asText {
		if text := words(); text != "" {
			return told{words: text}
		}
		return told{words: "\n"}
	}
	return told{data: data}
}
