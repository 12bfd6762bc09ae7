package operation

import (
	"encoding/json"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Whatever a client sends is read, or refused as wrong usage; what was made to
// fit the schema fits it when it is sent again, and strictly.
func FuzzInput(f *testing.F) {
	for i := range All() {
		for _, input := range []string{
			"", "null", "{}", "[]", "{", `{"ref":"a"}`, `{"ref":7,"limit":"3"}`, `{"query":["a","b"],"tags":"x,y"}`,
			`{"ref":"page","edits":[{"do":"append","text":"x"}],"expected_version":"2"}`, `{"ref":"a","ref":"b"}`,
			`{"limit":1e400}`, `{"limit":9007199254740993}`, `{"limit":-0.0}`, `{"dry_run":"yes"}`, `{"text":"\ud800"}`, `{"":{}}`,
		} {
			f.Add(uint(i), input)
		}
	}
	f.Fuzz(func(t *testing.T, which uint, input string) {
		op := All()[which%uint(len(All()))]
		if _, err := op.prepare(json.RawMessage(input), false); err != nil {
			switch kb.CodeOf(err) {
			case kb.Usage, kb.Invalid:
			default:
				t.Errorf("%s %q: code %s: %v", op.Name, input, kb.CodeOf(err), err)
			}
			return
		}
		fitted, err := fitter{name: op.Name}.fit(op.Input, json.RawMessage(input))
		if err != nil {
			t.Fatalf("%s %q was read, and does not fit: %v", op.Name, input, err)
		}
		again, err := json.Marshal(fitted)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := op.Read(again); err != nil {
			t.Errorf("%s %q became %s: %v", op.Name, input, again, err)
		}
	})
}
