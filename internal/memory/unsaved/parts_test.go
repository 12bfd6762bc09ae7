package unsaved

import (
	"strconv"
	"testing"
)

// A full cache keeps what was asked for last, so that a check that goes on comes to an end.
func TestPartsKeepTheLatest(t *testing.T) {
	t.Parallel()
	var p Parts
	of := func(n int) partOf { return partOf{heading: strconv.Itoa(n)} }
	for n := range maxParts {
		p.put(of(n), n%2 == 0)
	}
	p.put(of(maxParts), true)
	for n := range maxParts + 1 {
		if has, known := p.get(of(n)); !known || has != (n%2 == 0) {
			t.Fatalf("part %d: %v, known %v", n, has, known)
		}
	}
	for n := range 3 * maxParts {
		p.put(of(n), true)
	}
	if got := len(p.has) + len(p.old); got > 2*maxParts {
		t.Errorf("%d parts are kept", got)
	}
}
