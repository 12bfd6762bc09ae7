package operation

import (
	"encoding/json"
	"testing"

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
