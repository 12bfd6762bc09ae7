package curate

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
)

// page is one that is worth no look.
func page(name string, change func(*node)) node {
	n := node{ref: "kb:" + name, title: name, path: name + ".org", status: kb.Active, bytes: 500, created: "2026-01-01", updated: "2026-06-01", linked: true}
	if change != nil {
		change(&n)
	}
	return n
}

func TestWhatIsWorthALook(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		with func(*node)
		want []string
	}{
		{"as it should be", nil, nil},
		{"orphan", func(n *node) { n.linked = false }, []string{"orphan"}},
		{"stale", func(n *node) { n.status = kb.Stale }, []string{"stale"}},
		{"superseded, and no orphan", func(n *node) { n.status, n.linked = kb.Superseded, false }, []string{"stale"}},
		{"merged", func(n *node) { n.status, n.led = kb.Superseded, true }, nil},
		{"compacted", func(n *node) { n.status, n.bytes = kb.Compacted, 1<<20 }, nil},
		{"contested", func(n *node) { n.status, n.contests = kb.Contested, []string{"kb:other"} }, []string{"contested"}},
		{"contested orphan", func(n *node) { n.status, n.linked = kb.Contested, false }, []string{"contested", "orphan"}},
		{"broad", func(n *node) { n.bytes = 8 << 10 }, []string{"broad"}},
		{"not yet broad", func(n *node) { n.bytes = 8<<10 - 1 }, nil},
		{"large", func(n *node) { n.bytes = 256<<10 + 1 }, []string{"large"}},
		{"not yet large", func(n *node) { n.bytes = 256 << 10 }, []string{"broad"}},
		{"untouched", func(n *node) { n.updated = "2026-01-02" }, []string{"untouched"}},
		{"the last day", func(n *node) { n.updated = "2026-01-03" }, nil},
		{"looked at since", func(n *node) { n.updated, n.curated = "2025-01-02", "2026-02-01" }, nil},
		{"looked at long ago", func(n *node) { n.updated, n.curated = "2025-01-02", "2025-02-01" }, []string{"untouched"}},
		{"nothing says when", func(n *node) { n.created, n.updated = "", "" }, nil},
	} {
		s := &curationScan{nodes: []node{page("a", tc.with)}, rules: policy.Curation{}.Filled(), large: 256 << 10, today: "2026-07-01"}
		var got []string
		for _, item := range s.items() {
			for _, r := range item.Reasons {
				got = append(got, string(r.Kind))
			}
		}
		if !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

// A page comes once, with all its reasons: what nobody looked at for longest first, then
// what has most reasons; sources come last.
func TestOrder(t *testing.T) {
	t.Parallel()
	orphan := func(curated string) func(*node) {
		return func(n *node) { n.linked, n.curated = false, curated }
	}
	s := &curationScan{
		nodes: []node{
			page("a", orphan("2026-06-20")), page("b", orphan("2026-06-01")), page("c", orphan("")),
			page("d", func(n *node) { n.linked, n.bytes = false, 9000 }), page("e", nil), page("f", nil),
		},
		twins:   []twins{{a: 4, b: 5, shared: 0.934}, {a: 0, b: 4}},
		sources: []source{{path: "raw/z.org"}, {path: "raw/used.org", used: true}, {path: "raw/big.bin", bytes: 300 << 10, used: true}},
		rules:   policy.Curation{}.Filled(), large: 256 << 10, today: "2026-07-01",
	}
	var got []string
	items := s.items()
	for _, item := range items {
		line := item.Path
		for _, r := range item.Reasons {
			line += fmt.Sprintf(" %s:%s", r.Kind, r.With)
		}
		got = append(got, line)
	}
	want := []string{
		"d.org orphan: broad:", "e.org duplicate:kb:f duplicate:kb:a", "c.org orphan:", "f.org duplicate:kb:e",
		"b.org orphan:", "a.org duplicate:kb:e orphan:",
		"raw/big.bin large:", "raw/z.org source:",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := kinds(items); !reflect.DeepEqual(got, map[api.CurationKind]int{"duplicate": 3, "orphan": 4, "broad": 1, "large": 1, "source": 1}) {
		t.Errorf("counted %v", got)
	}
	if text := items[1].Reasons[0].Text; text != "kb:f says nearly the same, with 93 % of the words" {
		t.Errorf("it says %q", text)
	}
}

func TestDue(t *testing.T) {
	t.Parallel()
	many := func(n int, change func(i int, n *node)) (out []node) {
		for i := range n {
			out = append(out, page(fmt.Sprint(i), func(n *node) {
				if change != nil {
					change(i, n)
				}
			}))
		}
		return out
	}
	for _, tc := range []struct {
		name    string
		nodes   []node
		rules   policy.Curation
		due     bool
		waiting int
	}{
		{"149 pages", many(149, nil), policy.Curation{Due: 150}, false, 149},
		{"150 pages", many(150, nil), policy.Curation{Due: 150}, true, 150},
		{"nobody wants to know", many(150, nil), policy.Curation{}, false, 150},
		{"one was looked at", many(150, func(i int, n *node) {
			if i == 0 {
				n.curated = "2026-06-01"
			}
		}), policy.Curation{Due: 150}, false, 0},
		{"49 came since", many(199, func(i int, n *node) {
			switch {
			case i == 0:
				n.curated = "2026-06-01"
			case i >= 150:
				n.created = "2026-06-02"
			}
		}), policy.Curation{Due: 150}, false, 49},
		{"50 came since", many(200, func(i int, n *node) {
			switch {
			case i == 0:
				n.curated = "2026-06-01"
			case i >= 150:
				n.created = "2026-06-02"
			}
		}), policy.Curation{Due: 150}, true, 50},
		{"30 came, and 20 were left alone for too long", many(180, func(i int, n *node) {
			switch {
			case i == 0:
				n.curated = "2026-06-01"
			case i <= 20:
				n.updated = "2025-12-20" // 180 days later it is the 18th of June
			case i >= 150:
				n.created = "2026-06-02"
			}
		}), policy.Curation{Due: 150}, true, 50},
		{"they had been left alone before the last pass", many(180, func(i int, n *node) {
			if n.updated = "2025-06-01"; i == 0 {
				n.curated = "2026-06-01"
			}
		}), policy.Curation{Due: 150}, false, 0},
		{"a rule of its own", many(6, func(i int, n *node) {
			if n.created = "2026-06-02"; i == 0 {
				n.curated = "2026-06-01"
			}
		}), policy.Curation{Due: 3, Every: 5}, true, 5},
	} {
		s := &curationScan{nodes: tc.nodes, rules: tc.rules.Filled(), today: "2026-07-01"}
		if got := s.due(); got.Due != tc.due || got.Waiting != tc.waiting || got.Pages != len(tc.nodes) {
			t.Errorf("%s: %+v", tc.name, got)
		}
	}
}

func TestDayIn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-05-24": "2026-05-24", "[2026-05-24 Sun]": "2026-05-24", "<2026-05-24>": "2026-05-24", "2026-05-24T10:00:00Z": "2026-05-24",
		"": "", "yesterday": "", "2026-13-01": "", "[": "",
	} {
		if got := dayIn(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
