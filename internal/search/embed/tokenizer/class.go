package tokenizer

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// class is the handling of a code point.
type class uint8

const (
	keep  class = iota
	drop        // control characters and combining marks are removed
	space       // white space ends a word
	split       // punctuation and ideographs are separate words
)

var classNames = map[string]class{"keep": keep, "drop": drop, "space": space, "split": split}

// codePoints holds the reference tokenizer's own classes, one line for each
// run of code points: the first in hexadecimal, and the class. Go's Unicode
// tables would not do: the reference's are older, and each newer one moves
// some characters. tools/embed-reference writes the file.
//
//go:embed codepoints.txt
var codePoints string

// run is a run of code points of one class, up to the next run.
type run struct {
	first rune
	class class
}

// classes is the table, read on first use.
var classes = sync.OnceValue(func() *classTable {
	t := &classTable{}
	for line := range strings.Lines(codePoints) {
		first, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		c, err := strconv.ParseUint(first, 16, 32)
		kind, known := classNames[name]
		if err != nil || !known {
			panic("tokenizer: codepoints.txt has a line " + strconv.Quote(line))
		}
		t.runs = append(t.runs, run{rune(c), kind})
	}
	for c := range t.ascii {
		t.ascii[c] = t.search(rune(c))
	}
	return t
})

type classTable struct {
	ascii [128]class
	runs  []run
}

func (t *classTable) of(r rune) class {
	if uint32(r) < uint32(len(t.ascii)) {
		return t.ascii[r]
	}
	return t.search(r)
}

func (t *classTable) search(r rune) class {
	at, found := slices.BinarySearchFunc(t.runs, r, func(have run, r rune) int { return int(have.first) - int(r) })
	if !found {
		at--
	}
	return t.runs[at].class
}
