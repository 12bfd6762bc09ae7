package operation

import (
	"encoding/json"
	"strings"
	"testing"
)

// A large text is taken as it is, and other arguments are read as usual.
func TestLargeTextsAreRead(t *testing.T) {
	t.Parallel()
	text, title := strings.Repeat("<a \"line\" & ü\n", largeInput/8), strings.Repeat("n", largeInput)
	raw, err := json.Marshal(map[string]any{"text": text, "title": title, "ref": "a", "tags": []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	s := writePage.Input()
	var got writeInput
	if err := (Reader{Name: "write"}).Read(s, raw, &got); err != nil {
		t.Fatal(err)
	}
	if got.large == nil || *got.large != text || got.Title != title || got.Ref != "a" || len(got.Tags) != 1 {
		t.Errorf("read %d and %d bytes, %q", len(raw), len(got.Title), got.Ref)
	}
	if err := (Reader{Name: "write"}).Read(s, json.RawMessage(`{"title":"`+title+`"}`), &got); err == nil {
		t.Error("a missing text is accepted")
	}
}
