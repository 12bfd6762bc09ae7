package retrieve_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// Pages within the interval that a question names gain, others do not, and the answer says
// how it was read.
func TestTimesOfAQuestion(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	text := "Ann spoke about a trip.\n"
	root := b.Dir("notes", map[string]string{
		"2023-07-11.md": text,
		"2023-10-15.md": text,
		"2023-11-20.md": text,
		"launch.md":     "---\ntitle: Launch party\ndate: 2023-10-29\n---\n\nCake.\n",
	})
	talks := b.Dir("talks", map[string]string{
		"one.md":   "---\ntype: conversation\ndate: 2023-05-08\n---\n\n- Bo: I like the harbour.\n",
		"two.md":   "---\ntype: conversation\ndate: 2023-05-20\n---\n\n- Bo: The harbour was cold.\n",
		"three.md": "---\ntype: conversation\ndate: 2023-05-23\n---\n\n- Bo: No harbour for me.\n",
	})
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: talks}))(t)
	for _, name := range []string{"notes", "talks"} {
		apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: name}))(t)
	}
	for _, c := range []struct{ space, question, times, note string }{
		{"notes", "what did Ann say about a trip before October 2023?", "2023-07-11", `"before october 2023" was read as until 2023-09-30`},
		{"notes", "what did Ann say about a trip after October 2023?", "2023-11-20", `"after october 2023" was read as from 2023-11-01 on`},
		{"notes", "what did Ann say about a trip until August 2023?", "2023-07-11", `"until august 2023" was read as until 2023-08-31`},
		{"notes", "what did Ann say about a trip since October 2023?", "2023-10-15 2023-11-20", `"since october 2023" was read as from 2023-10-01 on`},
		{"notes", "what did Ann say about a trip in mid October 2023?", "2023-10-15", ""},
		{"notes", "trip of Ann two weeks before the launch party", "2023-10-15", `"two weeks before the launch party" was read as 2023-10-14 to 2023-10-16`},
		{"notes", "trip of Ann after the launch party", "2023-11-20", `"after the launch party" was read as from 2023-10-30 on`},
		{"notes", "trip of Ann before lunch", "", ""},
		{"talks", "what did Bo say of the harbour last week?", "2023-05-20", `"last week" was read as 2023-05-15 to 2023-05-21, counted from 2023-05-23, the newest page found`},
	} {
		got := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{
			Query: "space:" + c.space + " " + c.question, Mode: api.ModeHybrid, Explain: true,
		}))(t)
		var days []string
		most := 0.0
		for _, h := range got.Items {
			if h.Why.Time != nil {
				most = max(most, h.Why.Time.Share)
			}
		}
		for _, h := range got.Items { // not those of soon after
			if h.Why.Time != nil && h.Why.Time.Share == most {
				days = append(days, h.Why.Time.Day)
			}
		}
		note := ""
		for _, n := range got.Notes {
			if strings.Contains(n, "was read as") {
				note = n
			}
		}
		if diff := cmp.Diff([]string{c.times, c.note}, []string{strings.Join(days, " "), note}); diff != "" {
			t.Errorf("%q: %s", c.question, diff)
		}
		if want := c.times != ""; want != (len(got.Times) > 0) {
			t.Errorf("%q has the times %v", c.question, got.Times)
		}
	}
}
