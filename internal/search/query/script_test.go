package query

import "testing"

func TestScript(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "12 + 3": "", "where is it": "Latin", "Где ключ от GPU": "Cyrillic", "手冲咖啡": "Han",
		"バックアップはいつ": "Katakana", "น้ำท่วม": "Thai", "백업은": "Hangul",
	} {
		if got := Script(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
