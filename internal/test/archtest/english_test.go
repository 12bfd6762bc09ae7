package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Text for people is in the words of the field. The phrases that it went wrong
// with before stand in testdata/phrases.txt.
func TestTextIsPlainEnglish(t *testing.T) {
	t.Parallel()
	type phrase struct {
		bad  *regexp.Regexp
		good string
	}
	var phrases []phrase
	for line := range strings.Lines(readFile(t, "testdata/phrases.txt")) {
		bad, good, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if ok && !strings.HasPrefix(line, "#") {
			phrases = append(phrases, phrase{regexp.MustCompile("(?im)" + bad), good})
		}
	}
	if len(phrases) < 30 {
		t.Fatalf("only %d phrases", len(phrases))
	}
	files := []string{root + "/README.md", root + "/CONTRIBUTING.md", root + "/SECURITY.md"}
	for _, glob := range []string{root + "/docs/*.md", root + "/docs/cli/*.md", "../../surface/cli/topics/*.txt", "../../surface/cli/*.go", "../../surface/cli/*/*.go", "../../surface/operation/*.go", "../../upkeep/doctor/*.go", "../../surface/setup/*.go"} {
		found, err := filepath.Glob(glob)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", glob, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text := readFile(t, file)
		for _, p := range phrases {
			if hit := p.bad.FindString(text); hit != "" {
				t.Errorf("%s says %q: better: %s", file, hit, p.good)
			}
		}
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
