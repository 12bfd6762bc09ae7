package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// The same calls write the same bytes, so that both sides index the same vault.

const (
	vocabulary   = 20_000
	wordsPerNote = 300
	perDirectory = 500
	longSections = 40
)

// words draws words with frequencies that fall as those of natural text do.
type words struct {
	*rand.Rand
	zipf *rand.Zipf
}

func newWords(seed uint64) *words {
	r := rand.New(rand.NewPCG(seed, 1))
	return &words{r, rand.NewZipf(r, 1.07, 2.7, vocabulary-1)}
}

func (w *words) word() string { return spell(w.zipf.Uint64()) }

// spell returns the word of a rank: frequent words are short.
func spell(rank uint64) string {
	const consonants, vowels = "bcdfghjklmnpqrstvwxyz", "aeiou"
	var b strings.Builder
	for n := rank + 5; n > 0; n /= 105 {
		b.WriteByte(consonants[n%21])
		b.WriteByte(vowels[n/21%5])
	}
	return b.String()
}

func (w *words) sentence(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = w.word()
	}
	return strings.Join(all, " ")
}

// question is one that notes answer.
func question(i int) string { return spell(uint64(20+7*i)) + " " + spell(uint64(60+11*i)) }

func noteName(i int) string { return fmt.Sprintf("note-%05d", i) }

// writeNotes writes n notes with metadata, headings and links to each other.
func writeNotes(dir string, n int) error {
	w := newWords(1)
	for i := range n {
		var b bytes.Buffer
		fmt.Fprintf(&b, "---\ntitle: %s %d\ntags: [%s, %s]\n---\n# %s\n\n", w.sentence(3), i, w.word(), w.word(), w.sentence(2))
		for part := range 5 {
			if part > 0 {
				fmt.Fprintf(&b, "## %s\n\n", w.sentence(2))
			}
			fmt.Fprintf(&b, "%s\n%s [[%s]].\n\n", w.sentence(wordsPerNote/10), w.sentence(wordsPerNote/10), noteName(w.IntN(n)))
		}
		if err := write(filepath.Join(dir, fmt.Sprintf("d%02d", i/perDirectory), noteName(i)+".md"), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// writeLong writes n documents as of reference documentation: of some 80 kB,
// with code, tables, relative links, HTML and escapes.
func writeLong(dir string, n int) error {
	w := newWords(2)
	for i := range n {
		var b bytes.Buffer
		fmt.Fprintf(&b, "---\ndescription: %q\ntitle: %q\nms.date: 11/04/2016\nhelpviewer_keywords: [%q, %q]\n---\n# %s\n\n",
			w.sentence(9), w.sentence(3), w.word(), w.word(), w.sentence(2))
		for range longSections {
			fmt.Fprintf(&b, "## <a name=%q></a> %s\n\n%s. **%s** %s, see [%s](../%s.md#%s). %s\\_%s &lt;%s&gt;.\n\n",
				w.word(), w.sentence(2), w.sentence(60), w.word(), w.sentence(40), w.word(), noteName(w.IntN(n)), w.word(), w.word(), w.word(), w.word())
			fmt.Fprintf(&b, "```cpp\n// %s\nint main() {\n    %s* key = new %s(%q);\n    return key->%s(user, value);\n}\n```\n\n",
				w.sentence(8), w.word(), w.word(), w.word(), w.word())
			fmt.Fprintf(&b, "|Name|Value|\n|----------|-----------------|\n")
			for range 6 {
				fmt.Fprintf(&b, "|`%s`|%s and *%s*<br/>%s|\n", w.word(), w.sentence(8), w.word(), w.sentence(6))
			}
			fmt.Fprintf(&b, "\n%s. The default value is %d.\n\n- %s\n- %s\n\n", w.sentence(80), w.IntN(99), w.sentence(12), w.sentence(12))
		}
		if err := write(filepath.Join(dir, "docs", fmt.Sprintf("part-%d", i%7), noteName(i)+".md"), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
