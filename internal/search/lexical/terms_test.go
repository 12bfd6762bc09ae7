package lexical

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestTerms compares the table with a map: words of all lengths that differ in one byte, and
// after words were forgotten.
func TestTerms(t *testing.T) {
	t.Parallel()
	var table terms
	want := map[string]uint32{}
	rnd := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		switch rnd.IntN(3) {
		case 0:
			return fmt.Sprint(rnd.IntN(5000))
		case 1:
			return strings.Repeat("\x00", rnd.IntN(10))
		}
		return strings.Repeat("a", rnd.IntN(20)) + string(rune('a'+rnd.IntN(26))) + strings.Repeat("b", rnd.IntN(3))
	}
	check := func() {
		t.Helper()
		bytes := 0
		for w, n := range want {
			if got := table.number([]byte(w)); got != n || !table.has(w) || table.words[n] != w {
				t.Fatalf("%q has the number %d, not %d", w, got, n)
			}
			bytes += len(w)
		}
		if len(table.words) != len(want) || table.bytes != bytes {
			t.Fatalf("%d words of %d bytes, not %d of %d", len(table.words), table.bytes, len(want), bytes)
		}
	}
	if table.has("a") {
		t.Error("an empty table has a word")
	}
	for range 3 {
		for range 20_000 {
			w := word()
			got := table.number([]byte(w))
			if n, ok := want[w]; ok && n != got || !ok && int(got) != len(want) {
				t.Fatalf("%q has the number %d of %d", w, got, len(want))
			}
			want[w] = got
		}
		check()
		table.keep(len(want) / 2)
		for w, n := range want {
			if int(n) >= len(table.words) {
				if delete(want, w); table.has(w) {
					t.Fatalf("%q was kept", w)
				}
			}
		}
		check()
	}
}
