package space

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

// An error names few of many spaces.
func TestListed(t *testing.T) {
	t.Parallel()
	var all []kb.Space
	for i := range 250 {
		all = append(all, kb.Space{Name: fmt.Sprint("s", i)})
	}
	if got := listed(all[:3]); got != "s0, s1, s2" {
		t.Errorf("three spaces are %q", got)
	}
	if got := listed(all); !strings.HasPrefix(got, "s0, s1, ") || !strings.HasSuffix(got, ", s19, and 230 more") {
		t.Errorf("250 spaces are %q", got)
	}
	if hint := NoSuch("x", all).(*kb.Error).Hint; !strings.HasSuffix(hint, ", s19, and 230 more.") {
		t.Errorf("the hint is %q", hint)
	}
}
