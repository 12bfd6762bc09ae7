package doc

import "testing"

func TestPropertyText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, line, key string }{
		{"", "", ""},
		{"status", "status", "status"},
		{"ms.date", "ms.date", "ms.date"},
		{"Due Date", "Due Date", "due-date"},
		{" padded ", "padded", "padded"},
		{"two  blanks", "two blanks", "two-blanks"},
		{"a\tb\nc", "a b c", "a-b-c"},
		{"Größe\u00a0neu", "Größe neu", "größe-neu"},
		{" ", "", ""},
	} {
		if got := PropertyKey(tt.text); got != tt.key {
			t.Errorf("the key of %q is %q, want %q", tt.text, got, tt.key)
		}
		values := Property{Key: "k", Values: []string{tt.text}}.PropertyValues()
		if tt.line == "" && len(values) != 0 || tt.line != "" && (len(values) != 1 || values[0].Value != tt.line) {
			t.Errorf("the values of %q are %+v, want %q", tt.text, values, tt.line)
		}
	}
}
