package kb

import "testing"

// What passes is read as it was written, and what would not be is refused.
func TestCheckJSON(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		ok   bool
	}{
		{`"plain"`, true}, {`"café"`, true}, {"\"\ufffd\"", true}, {`"\ufffd"`, true}, {`"\ud83d\ude00"`, true}, {`"\\ud800"`, true}, {`"\""`, true}, {`"\u0000"`, true},
		{"\"\xff\"", false}, {"\"caf\xc3\"", false}, {"\"\xed\xa0\x80\"", false}, {`"\ud800"`, false}, {`"\udc00"`, false}, {`"\ud83d"`, false},
		{`"\ud83d\u0041"`, false}, {`"\ud83d\ud83d\ude00"`, false}, {`"\uDBFF\uDFFFx\uDFFF"`, false}, {`{"a":"\\\ud800"}`, false},
	} {
		err := CheckJSON([]byte(tc.text))
		if (err == nil) != tc.ok || err != nil && CodeOf(err) != Usage {
			t.Errorf("%q: %v", tc.text, err)
		}
	}
	for text, ok := range map[string]bool{"": true, "café": true, "\ufffd": true, "\xff": false, "caf\xc3": false} {
		if err := CheckUTF8(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestListed(t *testing.T) {
	t.Parallel()
	if got := Listed([]Status{Active, Stale}); got != "active, stale" {
		t.Errorf("two statuses are listed as %q", got)
	}
	if got := Listed([]string(nil)); got != "" {
		t.Errorf("no names are listed as %q", got)
	}
}
