package curate

import "testing"

func TestPointersLeadOn(t *testing.T) {
	t.Parallel()
	const (
		old   = "00000000-0000-4000-8000-00000000000a"
		other = "00000000-0000-4000-8000-00000000000b"
		now   = "00000000-0000-4000-8000-00000000000c"
	)
	for _, tc := range []struct{ name, text, want string }{
		{"one", "- ai-kb: Use gofmt (" + old + ")\n", "- ai-kb: Go (style) (" + now + ")\n"},
		{"with what is around it", "See ai-kb: Use gofmt (" + old + "), and more.\r\nEnd", "See ai-kb: Go (style) (" + now + "), and more.\r\nEnd"},
		{"a title in parentheses", "ai-kb: Use gofmt (always) (" + old + ")", "ai-kb: Go (style) (" + now + ")"},
		{"in capitals", "ai-kb: X (00000000-0000-4000-8000-00000000000A)", "ai-kb: Go (style) (" + now + ")"},
		{"no title", "ai-kb: (" + old + ")", "ai-kb: Go (style) (" + now + ")"},
		{"two in a line", "ai-kb: A (" + other + ") ai-kb: B (" + old + ") ai-kb: C (" + old + ")", "ai-kb: A (" + other + ") ai-kb: Go (style) (" + now + ") ai-kb: Go (style) (" + now + ")"},
		{"another one", "ai-kb: A (" + other + ")", ""},
		{"not in its line", "ai-kb: A\n(" + old + ")", ""},
		{"no pointer", "A (" + old + ")", ""},
		{"no id", "ai-kb: A (soon", ""},
		{"no text", "ai-kb: A (" + old + ")\x00", ""},
		{"no UTF-8", "ai-kb: A (" + old + ")\xff", ""},
	} {
		if got := string(repointed([]byte(tc.text), old, now, "Go (style)")); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
