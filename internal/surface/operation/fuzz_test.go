package operation

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Whatever a client sends is read, or refused as wrong usage; what was made to
// fit the schema fits it when it is sent again, and strictly.
func FuzzInput(f *testing.F) {
	for i := range Tools() {
		for _, input := range []string{
			"", "null", "{}", "[]", "{", `{"ref":"a"}`, `{"ref":7,"limit":"3"}`, `{"query":["a","b"],"tags":"x,y"}`,
			`{"ref":"page","edits":[{"do":"append","text":"x"}],"expected_version":"2"}`, `{"ref":"a","ref":"b"}`,
			`{"limit":1e400}`, `{"limit":9007199254740993}`, `{"limit":-0.0}`, `{"dry_run":"yes"}`, `{"text":"\ud800"}`, `{"":{}}`,
		} {
			f.Add(uint(i), input)
		}
	}
	f.Fuzz(func(t *testing.T, which uint, text string) {
		tool := Tools()[which%uint(len(Tools()))]
		if _, err := tool.read(Reader{Name: tool.Name}, json.RawMessage(text)); err != nil {
			switch kb.CodeOf(err) {
			case kb.Usage, kb.Invalid:
			default:
				t.Errorf("%s %q: code %s: %v", tool.Name, text, kb.CodeOf(err), err)
			}
			return
		}
		fitted, err := Reader{Name: tool.Name}.Fit(tool.Input(), json.RawMessage(text))
		if err != nil {
			t.Fatalf("%s %q was read, and does not fit: %v", tool.Name, text, err)
		}
		again, err := json.Marshal(fitted)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tool.read(Reader{Name: tool.Name, Strict: true}, again); err != nil {
			t.Errorf("%s %q became %s: %v", tool.Name, text, again, err)
		}
	})
}

// A large object is read as any other.
func TestLargeFields(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{}`, `{"a":"text","b":1.50,"c":null,"d":[1,{"e":"f"}],"a":"again","g\u0041":true}`, ` { "a" : "\ud83d\ude00" } `,
		`{"a":"","b":"\\","c":"\"\/\b\f\n\r\t\u0041\\u0042\u00e9\ud83d\ude00\ud83dx\ude00\u0000end\n"}`,
		``, `null`, `[1]`, `"a"`, `{"a":1} 2`, `{"a":}`, `{"a":"x"`,
	} {
		want, err := decodeValue([]byte(text))
		object, isObject := want.(map[string]any)
		got, ok := largeFields([]byte(text))
		if ok != (err == nil && isObject) || ok && !reflect.DeepEqual(got, object) {
			t.Errorf("%s: %v, %v, want %v, %v", text, got, ok, want, err)
		}
	}
}

// A large text of a page is let go once it is taken, and has the end of its last line.
func TestLargeTextIsTaken(t *testing.T) {
	t.Parallel()
	for _, large := range []bool{false, true} {
		var in writeInput
		if text := "text"; large {
			in.takeText("text", text)
		} else {
			in.Text = text
		}
		if got := string(in.take()); got != "text\n" || in.Text != "" || in.large != nil && *in.large != "" {
			t.Errorf("large %t: %q, and %+v is left", large, got, in)
		}
	}
}

// A large text arrives as it was sent.
func TestLargeTextIsRead(t *testing.T) {
	t.Parallel()
	want := strings.Repeat("a\"b\\ü\n", largeInput/4)
	raw, err := json.Marshal(map[string]any{"ref": "a", "text": want, "title": "T"})
	if err != nil {
		t.Fatal(err)
	}
	schema := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{
		"ref": {Type: "string"}, "text": {Type: "string"}, "title": {Type: "string"},
	}}
	var got struct {
		Ref   string `json:"ref"`
		Text  string `json:"text"`
		Title string `json:"title,omitempty"`
	}
	if err := (Reader{Name: "write"}).Read(schema, raw, &got); err != nil || got.Ref != "a" || got.Text != want || got.Title != "T" {
		t.Errorf("%q, %q, %d bytes: %v", got.Ref, got.Title, len(got.Text), err)
	}
}
