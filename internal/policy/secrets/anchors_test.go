package secrets

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// A view takes over the anchors of its source where it is a copy, and is searched
// for forms only around decoded bytes. Both must equal a search of its whole text.
func TestViewsAreReadInParts(t *testing.T) {
	t.Parallel()
	x := builtin().index
	pieces := []string{
		" ", "\n", "a", "Z9", "é", "word ", "*", "**", "~~", "==", "=", "=3D", "=\n", "[", "]", "](x)", "<b>", "</b>", "<", "&amp;", "&lt;", "&#38;", "&",
		"%25", "%5F", "%", `\`, `\_`, `\\`, `\u005f`, `\x5c`, "\\\n  ", "u005f", "#95;", "amp;", "\u200b", "\uff47",
	}
	for _, bucket := range x.buckets {
		for _, e := range bucket {
			pieces = append(pieces, e.anchor)
			for _, f := range e.finds {
				if f.exact != "" {
					pieces = append(pieces, f.exact, f.exact[1:])
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(7, 8))
	seen, twice := 0, 0
	for range 2000 {
		var text bytes.Buffer
		for range 1 + r.IntN(60) {
			if r.IntN(3) > 0 {
				text.WriteString(pieces[r.IntN(36)])
			} else {
				text.WriteString(pieces[r.IntN(len(pieces))])
			}
		}
		root := &view{text: text.Bytes()}
		root.mark([]*index{x})
		marks := func(v *view) {
			v.mark([]*index{x})
			seen++
			direct := marks(nil).room(len(v.text))
			for i := range max(0, len(v.text)-1) {
				if x.isAnchor(v.text, i) {
					direct.set(i)
				}
			}
			if !slices.Equal(v.marks[0], direct) {
				t.Fatalf("%q of %q: marks %x, want %x", v.text, text.Bytes(), v.marks[0], direct)
			}
		}
		root.decode(mailBytes, quotedPrintable, marks)
		root.decode(readerBytes, reader, func(v *view) {
			marks(v)
			v.decode(readerBytes, reader, marks)
			if again, want := formsOf(v), formsOf(&view{text: v.text}); again != want {
				t.Fatalf("%q of %q is read as %s, want %s", v.text, text.Bytes(), again, want)
			} else if again != "" {
				twice++
			}
		})
	}
	if seen < 1000 || twice < 100 {
		t.Errorf("only %d views, %d of them with something encoded", seen, twice)
	}
}

// formsOf lists what is encoded in v.
func formsOf(v *view) (out string) {
	v.decode(readerBytes, reader, func(again *view) { out += fmt.Sprintln(again.parts, string(again.text)) })
	return out
}

var update = flag.Bool("update", false, "write anchors.txt")

// anchors.txt is what rules.toml says, and every expression compiles.
func TestAnchorsOfTheRules(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	var rules table
	if err := toml.Unmarshal([]byte(rulesText), &rules); err != nil {
		t.Fatal(err)
	}
	for _, r := range rules.Rules {
		err := newIndex().add(r, func(expression string, _ func(pattern) finder) error {
			patterns, err := compile(expression)
			for i, p := range patterns {
				if i > 0 {
					want.WriteByte(' ')
				}
				pivot := p.atoms[p.pivot]
				if !pivot.fold {
					want.WriteByte('=')
				}
				want.WriteString(strconv.Quote(pivot.literal))
			}
			want.WriteByte('\n')
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if *update {
		if err := os.WriteFile("anchors.txt", []byte(want.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want.String() != anchorsText {
		t.Error("anchors.txt is not what rules.toml says: run go test ./internal/policy/secrets -run TestAnchorsOfTheRules -update")
	}
}
