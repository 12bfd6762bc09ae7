package operation

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// A large text is given to the field that the schema names it by, wherever that is in the
// struct, and other fields are read as usual.
func TestLargeTextsAreRead(t *testing.T) {
	t.Parallel()
	type within struct {
		Note string `json:"note,omitempty"`
	}
	type input struct {
		Text string `json:"text"`
		N    int    `json:"n,omitempty"`
		within
	}
	s, err := jsonschema.For[input](nil)
	if err != nil {
		t.Fatal(err)
	}
	text, note := strings.Repeat("<a \"line\" & ü\n", largeInput/8), strings.Repeat("n", largeInput)
	raw, err := json.Marshal(map[string]any{"text": text, "note": note, "n": 3})
	if err != nil {
		t.Fatal(err)
	}
	var got input
	if err := (Reader{Name: "write"}).Read(s, raw, &got); err != nil {
		t.Fatal(err)
	}
	if got.Text != text || got.Note != note || got.N != 3 {
		t.Errorf("read %d and %d bytes, %d", len(got.Text), len(got.Note), got.N)
	}
	if err := (Reader{Name: "write"}).Read(s, json.RawMessage(`{"n":1,"note":"`+note+`"}`), &got); err == nil {
		t.Error("a missing text is accepted")
	}
}
