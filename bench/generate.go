package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
)

// The generated vault: what the words are does not matter to an index, how
// often each comes does. Word frequencies follow Zipf's law, as those of
// natural text do.
const (
	seed         = 20261121
	vocabulary   = 60_000
	wordsPerNote = 300
	linksPerNote = 5
	perDirectory = 1000

	zipfExponent = 1.07 // of frequency by rank; English is near 1
	zipfOffset   = 2.7  // Mandelbrot's: flattens the first ranks, as in English
)

// lexicon draws words.
type lexicon struct {
	words []string
	zipf  *rand.Zipf
}

func newLexicon(r *rand.Rand) *lexicon {
	const consonants, vowels = "bcdfghjklmnpqrstvwxyz", "aeiou"
	l := &lexicon{zipf: rand.NewZipf(r, zipfExponent, zipfOffset, vocabulary-1)}
	seen := make(map[string]bool, vocabulary)
	for len(l.words) < vocabulary {
		// Frequent words are short, as in English: 1 syllable among the
		// first, up to 4 among the last.
		syllables := 1 + min(3, len(l.words)/100) - r.Intn(2)
		var b strings.Builder
		for range max(1, syllables) {
			b.WriteByte(consonants[r.Intn(len(consonants))])
			b.WriteByte(vowels[r.Intn(len(vowels))])
			if r.Intn(2) == 0 {
				b.WriteByte(consonants[r.Intn(len(consonants))])
			}
		}
		if w := b.String(); !seen[w] {
			seen[w] = true
			l.words = append(l.words, w)
		}
	}
	return l
}

func (l *lexicon) word() string { return l.words[l.zipf.Uint64()] }

// distinct draws n different words, each as likely as it is in the text.
func (l *lexicon) distinct(n int) []string {
	var out []string
	seen := make(map[string]bool, n)
	for len(out) < n {
		if w := l.word(); !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	return out
}

// generate writes n notes into a new directory: frontmatter with tags,
// headings, paragraphs, and wikilinks to other notes by their file names. The
// same n gives the same bytes.
func generate(ctx context.Context, dir string, n int) error {
	r := rand.New(rand.NewSource(seed))
	l := newLexicon(r)
	var b bytes.Buffer
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i%perDirectory == 0 {
			if err := os.MkdirAll(filepath.Join(dir, directoryOf(i)), 0o755); err != nil {
				return err
			}
		}
		b.Reset()
		note(&b, r, l, i, n)
		if err := os.WriteFile(filepath.Join(dir, directoryOf(i), nameOf(i)+".md"), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func directoryOf(i int) string { return fmt.Sprintf("d%03d", i/perDirectory) }

func nameOf(i int) string { return fmt.Sprintf("note-%06d", i) }

func note(b *bytes.Buffer, r *rand.Rand, l *lexicon, i, n int) {
	fmt.Fprintf(b, "---\ntitle: %s %d\ntags: [%s, %s]\n---\n# %s\n\n", strings.Join(l.distinct(3), " "), i, l.word(), l.word(), l.word())
	every := wordsPerNote / linksPerNote
	for w := range wordsPerNote {
		b.WriteString(l.word())
		switch {
		case w%every == every-1:
			fmt.Fprintf(b, " [[%s]].\n\n", nameOf(r.Intn(n)))
		case w%every == every/2 && w > every:
			fmt.Fprintf(b, ".\n\n## %s %s\n\n", l.word(), l.word())
		default:
			b.WriteByte(" \n"[boolInt(w%12 == 11)])
		}
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
