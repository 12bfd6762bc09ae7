package link_test

import (
	"fmt"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Numbers are written down outside of the memory: they never change.
func TestNumber(t *testing.T) {
	t.Parallel()
	ada := kb.DerivedID("space", "ada.md", "", 0)
	brex := kb.DerivedID("space", "brex.md", "", 0)
	e := link.Edge{Page: ada, Type: "works_at", To: string(brex), Since: "2017"}
	if got, want := fmt.Sprint(e.Number(0), e.Number(1)), "459911662466800 459920050147045"; got != want {
		t.Errorf("numbers %s, want %s", got, want)
	}
	seen := map[int64]bool{}
	for _, other := range []link.Edge{
		e, {Page: brex, Type: e.Type, To: e.To, Since: e.Since}, {Page: ada, Type: "knows", To: e.To, Since: e.Since},
		{Page: ada, Type: e.Type, To: "Brex", Since: e.Since}, {Page: ada, Type: e.Type, To: e.To}, {Page: ada, Type: e.Type + e.To, Since: e.Since},
	} {
		for nth := range 100 {
			n := other.Number(nth)
			if n < 0 || n >= 1<<53 || seen[n] {
				t.Fatalf("%v has the number %d, which is too large or that of another", other, n)
			}
			if seen[n] = true; !link.MayHold(other.Page, n) {
				t.Fatalf("the page of %v may not hold %d", other, n)
			}
		}
	}
	if link.MayHold(brex, e.Number(0)) {
		t.Error("any page may hold any link")
	}
}
