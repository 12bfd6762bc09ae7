package kb

import "testing"

func TestIsTextNote(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"20240101T120000--my-note__kw.txt":   true,
		"notes/20240101T120000.TXT":          true,
		"20240101T120000==1a--note.txt":      true,
		"20240101T120000--my-note__kw.md":    false,
		"20241301T120000--no-month.txt":      false,
		"20240101T120000/readme.txt":         false,
		"readme.txt":                         false,
		"2024-01-01.txt":                     false,
		".txt":                               false,
		"20240101T120000--note.txt/other.md": false,
	} {
		if IsTextNote(name) != want {
			t.Errorf("%s: want %v", name, want)
		}
	}
}
