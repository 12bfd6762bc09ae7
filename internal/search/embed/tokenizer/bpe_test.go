package tokenizer

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// tinyBytePairs has the bytes as tokens 0 to 255, and some merges.
func tinyBytePairs(t testing.TB, whole bool) *bytePairs {
	words := map[string]int32{}
	for b, letter := range byteLetters {
		words[string(letter)] = int32(b)
	}
	merges := [][2]string{{"a", "b"}, {"b", "b"}, {"ab", "b"}, {"Ġ", "a"}, {"a", "a"}, {"aa", "aa"}, {"bb", "a"}}
	for i, m := range merges {
		words[m[0]+m[1]] = int32(256 + i)
	}
	words["abba"] = 300
	b, err := newBytePairs(words, merges, whole)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// slowly merges by the definition: again and again the first of the pairs
// with the lowest rank.
func slowly(b *bytePairs, word string) []int32 {
	var ids []int32
	for i := range len(word) {
		ids = append(ids, b.bytes[word[i]])
	}
	for {
		at, lowest := -1, merged{}
		for i := range len(ids) - 1 {
			if m, ok := b.merges[pair{ids[i], ids[i+1]}]; ok && (at < 0 || m.rank < lowest.rank) {
				at, lowest = i, m
			}
		}
		if at < 0 {
			return ids
		}
		ids = slices.Replace(ids, at, at+2, lowest.id)
	}
}

func TestBytePairsAgainstTheDefinition(t *testing.T) {
	t.Parallel()
	b := tinyBytePairs(t, false)
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		word := ""
		for range 1 + rng.IntN(14) {
			word += []string{"a", "b", " ", "é"}[rng.IntN(4)]
		}
		if got, want := b.appendWord(nil, word), slowly(b, word); !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v", word, got, want)
		}
	}
}

func TestBytePairsWholeWords(t *testing.T) {
	t.Parallel()
	for whole, want := range map[bool][]int32{false: {258, 'a'}, true: {300}} {
		if got := tinyBytePairs(t, whole).appendIDs(nil, "abba"); !slices.Equal(got, want) {
			t.Errorf("whole %v: %v, want %v", whole, got, want)
		}
	}
}

// A word as long as a page takes no time to speak of: merging one pair after
// the other would take minutes.
func TestBytePairsLongWord(t *testing.T) {
	t.Parallel()
	if got := len(tinyBytePairs(t, false).appendIDs(nil, strings.Repeat("a", 1<<15))); got != 1<<13 {
		t.Errorf("%d tokens", got)
	}
}

func TestWordSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"it's I'LL we'd":        {"it", "'s", " I", "'", "LL", " we", "'d"},
		"a  b\n c \u00a0d ":     {"a", " ", " b", "\n", " c", " ", "\u00a0", "d", " "},
		"  ":                    {"  "},
		"x1½²!? é\u0301…":       {"x", "1½²", "!?", " é", "\u0301…"},
		" '' 's ":               {" ''", " '", "s", " "},
		"\r\n\r\nno":            {"\r\n\r", "\n", "no"},
		"\u3000\u3000語":         {"\u3000", "\u3000", "語"},
		"don't 'tis rock'n'r'l": {"don", "'t", " '", "tis", " rock", "'", "n", "'", "r", "'", "l"},
	} {
		var got []string
		for rest := text; rest != ""; {
			n := wordSize(rest)
			got, rest = append(got, rest[:n]), rest[n:]
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
