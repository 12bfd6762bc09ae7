package query

import "unicode"

// scripts are the scripts that are distinguished in questions.
var scripts = []string{"Latin", "Cyrillic", "Greek", "Han", "Hiragana", "Katakana", "Hangul", "Arabic", "Hebrew", "Thai", "Devanagari",
	"Bengali", "Tamil", "Telugu", "Khmer", "Lao", "Myanmar", "Georgian", "Armenian"}

// Script returns the script of most letters of a text; "" for a text without
// letters, or an unknown script.
func Script(text string) string {
	counts := make([]int, len(scripts))
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		for i, name := range scripts {
			if unicode.Is(unicode.Scripts[name], r) {
				counts[i]++
				break
			}
		}
	}
	best := 0
	for i, n := range counts {
		if n > counts[best] {
			best = i
		}
	}
	if counts[best] == 0 {
		return ""
	}
	return scripts[best]
}
