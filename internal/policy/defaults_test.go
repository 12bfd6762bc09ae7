package policy_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
)

// A policy has from defaults the keys that it does not say; what it says wins as a whole,
// nothing and zero included.
func TestParseOver(t *testing.T) {
	t.Parallel()
	const defaults = `[lifecycle]
stale_after = 60
unlinked_after = 30
exempt = { tags = ["pinned", "kept"] }
effects = { supersedes = "stale" }
[capture]
auto_tags = true
[search]
hide = ["compacted", "stale"]
`
	for range 2 { // what one policy has is not the next one's
		p, err := policy.ParseOver([]byte(defaults), []byte(`[lifecycle]
stale_after = 0
exempt = { types = ["mine"] }
effects = { contradicts = "conflict" }
[capture]
auto_tags = false
[search]
hide = []
`))
		if err != nil {
			t.Fatal(err)
		}
		want := policy.Lifecycle{
			UnlinkedAfter: 30, Exempt: policy.Exempt{Types: []string{"mine"}},
			Effects: map[string]policy.LinkEffect{"contradicts": policy.Conflicts},
		}
		if diff := cmp.Diff(want, p.Lifecycle); diff != "" || p.Capture.AutoTags || len(p.Search.Hide) > 0 {
			t.Errorf("%+v, %+v: %s", p.Capture, p.Search, diff)
		}
		if p, err = policy.ParseOver([]byte(defaults), nil); err != nil || p.Lifecycle.StaleAfter != 60 || !p.Capture.AutoTags || len(p.Search.Hide) != 2 || len(p.Lifecycle.Exempt.Tags) != 2 {
			t.Errorf("%+v, %v", p, err)
		}
	}
	for _, bad := range []string{"[lifecycle]\nstale_afer = 3\n", "[capture]\nsimilar = 2\n"} {
		if _, err := policy.ParseOver([]byte(bad), nil); kb.CodeOf(err) != kb.Invalid || !strings.Contains(err.Error(), "in the configuration") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
