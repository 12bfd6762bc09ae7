package links_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// drawn is a graph in a few words.
func drawn(g api.Graph) string {
	var b strings.Builder
	for _, n := range g.Nodes {
		fmt.Fprintf(&b, "%d %s\n", n.Distance, strings.TrimPrefix(n.Ref, "notes:"))
	}
	for _, l := range g.Links {
		fmt.Fprintf(&b, "%s -%s-> %s", strings.TrimPrefix(l.From, "notes:"), l.Type, strings.TrimPrefix(l.To, "notes:"))
		if when := (kb.Interval{From: l.ValidFrom, Until: l.ValidUntil}).String(); when != "" {
			b.WriteString(" " + when)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%d hidden, %d left out", g.Hidden, g.LeftOut)
	if g.AtLeast {
		b.WriteString(" at least")
	}
	return b.String()
}

func TestGraph(t *testing.T) {
	t.Parallel()
	_, a, _ := temporalVault(t)
	for name, tc := range map[string]struct {
		req  api.GraphRequest
		want string
	}{
		"two steps both ways": {req: api.GraphRequest{}, want: `0 people/pedro
1 companies/acme
1 people/ada
2 companies/brex
people/pedro -works_at-> companies/acme 2026-04..
people/pedro -knows-> people/ada
companies/acme -rival_of-> companies/brex
people/ada -links_to-> companies/brex
3 hidden, 0 left out`},
		"one step": {req: api.GraphRequest{Depth: 1}, want: `0 people/pedro
1 companies/acme
1 people/ada
people/pedro -works_at-> companies/acme 2026-04..
people/pedro -knows-> people/ada
3 hidden, 0 left out`},
		"a day": {req: api.GraphRequest{Depth: 1, At: "2018"}, want: `0 people/pedro
1 companies/brex
1 people/ada
people/pedro -works_at-> companies/brex 2017-01-03..2026-03
people/pedro -knew-> people/ada ..2020
people/pedro -knows-> people/ada
people/ada -links_to-> companies/brex
2 hidden, 0 left out`},
		"what ended": {req: api.GraphRequest{Temporal: api.Historical}, want: `0 people/pedro
1 companies/brex
1 people/ada
people/pedro -works_at-> companies/brex 2017-01-03..2026-03
people/pedro -knew-> people/ada ..2020
5 hidden, 0 left out`},
		"one type, spelled otherwise": {req: api.GraphRequest{Types: []string{"Works at"}, Temporal: api.AllTimes}, want: `0 people/pedro
1 companies/acme
1 companies/brex
people/pedro -works_at-> companies/acme 2026-04..
people/pedro -works_at-> companies/brex 2017-01-03..2026-03
0 hidden, 0 left out`},
		"where links come from": {req: api.GraphRequest{Ref: "companies/brex", Direction: api.In, Depth: 1}, want: `0 companies/brex
1 companies/acme
1 people/ada
companies/acme -rival_of-> companies/brex
people/ada -links_to-> companies/brex
2 hidden, 0 left out`},
		"nowhere from here": {req: api.GraphRequest{Ref: "companies/brex", Direction: api.Out}, want: "0 companies/brex\n0 hidden, 0 left out"},
		"no room": {req: api.GraphRequest{Limit: 2}, want: `0 people/pedro
1 companies/acme
people/pedro -works_at-> companies/acme 2026-04..
3 hidden, 1 left out at least`},
		"room for the last step": {req: api.GraphRequest{Limit: 3, Depth: 2, Direction: api.Out}, want: `0 people/pedro
1 companies/acme
1 people/ada
people/pedro -works_at-> companies/acme 2026-04..
people/pedro -knows-> people/ada
3 hidden, 1 left out`},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.req.Ref == "" {
				tc.req.Ref = "people/pedro"
			}
			if diff := cmp.Diff(tc.want, drawn(apptest.OK(links.AroundRef(t.Context(), a, tc.req))(t))); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, bad := range []api.GraphRequest{{Depth: 11}, {Depth: -1}, {Limit: 1001}, {Limit: -1}, {Direction: "up"}, {Temporal: "then"}} {
		bad.Ref = "people/pedro"
		if _, err := links.AroundRef(t.Context(), a, bad); kb.CodeOf(err) != kb.Usage {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := links.AroundRef(t.Context(), a, api.GraphRequest{Ref: "nobody"}); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("around nobody: %v", err)
	}
}

// Links have the same ids in a graph as in lists.
func TestGraphHasTheIDsOfLinks(t *testing.T) {
	t.Parallel()
	_, a, _ := temporalVault(t)
	listed := map[int64]bool{}
	for _, l := range apptest.OK(links.List(t.Context(), a, api.LinksRequest{Ref: "people/pedro"}))(t).Items {
		listed[l.ID] = true
	}
	g := apptest.OK(links.AroundRef(t.Context(), a, api.GraphRequest{Ref: "people/pedro", Depth: 1, Direction: api.Out, Temporal: api.AllTimes}))(t)
	n := 0
	for _, l := range g.Links {
		if l.From == g.Root {
			n++
			if !listed[l.ID] {
				t.Errorf("no list has the link %+v", l)
			}
		}
	}
	if n != len(listed) {
		t.Errorf("%d links, of %d", n, len(listed))
	}
}
