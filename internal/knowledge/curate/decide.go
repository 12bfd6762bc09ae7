package curate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
)

// node is the data of a page that curation needs.
type node struct {
	ref, title, path string
	status           kb.Status
	bytes            int64
	created, updated string // days; "" if unknown
	curated          string // day of the last review, "" for never
	linked           bool   // a link leads to or from another page
	led              bool   // the page only redirects to the page with its text
	contests         []string
}

// twins are two possible duplicates.
type twins struct {
	a, b   int     // indexes in the list of nodes
	shared float64 // share of common words; 0 for the same title
}

// source is a file that pages are derived from.
type source struct {
	path  string
	bytes int64
	used  bool // a page refers to it
}

// curationScan is the data of a space that curation decisions are based on.
type curationScan struct {
	nodes   []node
	twins   []twins
	sources []source
	rules   policy.Curation // with defaults applied
	large   int64           // size in bytes from which a file is large
	today   string
}

// items lists the pages that need attention: pages before sources, those not
// reviewed for longest first.
func (s *curationScan) items() []api.CurationItem {
	reasons := make([][]api.CurationReason, len(s.nodes))
	add := func(i int, kind api.CurationKind, with, format string, args ...any) {
		reasons[i] = append(reasons[i], api.CurationReason{Kind: kind, With: with, Text: fmt.Sprintf(format, args...)})
	}
	for _, t := range s.twins {
		for _, x := range [2][2]int{{t.a, t.b}, {t.b, t.a}} {
			other := s.nodes[x[1]]
			if t.shared == 0 {
				add(x[0], api.CurationDuplicate, other.ref, "%s has the same title", other.ref)
				continue
			}
			add(x[0], api.CurationDuplicate, other.ref, "%s says nearly the same, with %.0f %% of the words", other.ref, 100*t.shared)
		}
	}
	for i := range s.nodes {
		n := &s.nodes[i]
		if n.status == kb.Contested {
			with := strings.Join(n.contests, ", ")
			text := "contested"
			if with != "" {
				text += " with " + with
			}
			add(i, api.CurationContested, with, "%s", text)
		}
		if n.led {
			continue // a person made the merge
		}
		if n.status == kb.Stale || n.status == kb.Superseded {
			add(i, api.CurationStale, "", "%s", n.status)
		}
		if !kb.Holds(n.status) {
			continue
		}
		if !n.linked {
			add(i, api.CurationOrphan, "", "no link leads to it or from it")
		}
		switch {
		case n.bytes > s.large:
			add(i, api.CurationLarge, "", "%d KB", n.bytes>>10)
		case n.bytes >= int64(s.rules.Broad):
			add(i, api.CurationBroad, "", "%d KB: it may be about more than one thing", n.bytes>>10)
		}
		if day := s.untouched(n); day != "" && day <= s.today {
			add(i, api.CurationUntouched, "", "neither changed nor looked at since %s", n.touched())
		}
	}
	var out []api.CurationItem
	for i, n := range s.nodes {
		if len(reasons[i]) > 0 {
			out = append(out, api.CurationItem{
				Ref: n.ref, Title: n.title, Path: n.path, Status: n.status, Bytes: n.bytes, UpdatedAt: n.updated, LastCurated: n.curated, Reasons: reasons[i],
			})
		}
	}
	slices.SortStableFunc(out, func(a, b api.CurationItem) int {
		return cmp.Or(cmp.Compare(a.LastCurated, b.LastCurated), cmp.Compare(len(b.Reasons), len(a.Reasons)), cmp.Compare(a.Ref, b.Ref))
	})
	return append(out, s.loose()...)
}

// loose returns the sources that no page refers to, and the large ones.
func (s *curationScan) loose() (out []api.CurationItem) {
	for _, x := range s.sources {
		item := api.CurationItem{Path: x.path, Bytes: x.bytes}
		if !x.used {
			item.Reasons = append(item.Reasons, api.CurationReason{Kind: api.CurationSource, Text: "no page names this source"})
		}
		if x.bytes > s.large {
			item.Reasons = append(item.Reasons, api.CurationReason{Kind: api.CurationLarge, Text: fmt.Sprintf("%d KB", x.bytes>>10)})
		}
		if len(item.Reasons) > 0 {
			out = append(out, item)
		}
	}
	slices.SortFunc(out, func(a, b api.CurationItem) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// touched returns the day on which a page was last changed or reviewed.
func (n *node) touched() string { return max(n.updated, n.curated) }

// untouched returns the day from which a page counts as neglected, "" if its last
// change is unknown.
func (s *curationScan) untouched(n *node) string {
	day, err := time.Parse(time.DateOnly, n.touched())
	if err != nil {
		return ""
	}
	return day.AddDate(0, 0, s.rules.Untouched).Format(time.DateOnly)
}

// due reports whether it is time to review the pages. It counts pages that are new
// since the last review of any page, and pages that became neglected since.
func (s *curationScan) due() api.CurationDue {
	out := api.CurationDue{Pages: len(s.nodes)}
	for _, n := range s.nodes {
		out.Last = max(out.Last, n.curated)
	}
	for i := range s.nodes {
		n := &s.nodes[i]
		late := s.untouched(n)
		isNew := n.curated == "" && cmp.Or(n.created, n.updated) > out.Last
		if out.Last == "" || isNew || late > out.Last && late <= s.today {
			out.Waiting++
		}
	}
	out.Due = s.rules.Due > 0 && out.Pages >= s.rules.Due && (out.Last == "" || out.Waiting >= s.rules.Every)
	return out
}

// kinds counts items by kind.
func kinds(items []api.CurationItem) map[api.CurationKind]int {
	out := map[api.CurationKind]int{}
	for _, item := range items {
		seen := map[api.CurationKind]bool{}
		for _, r := range item.Reasons {
			if !seen[r.Kind] {
				out[r.Kind]++
			}
			seen[r.Kind] = true
		}
	}
	return out
}
