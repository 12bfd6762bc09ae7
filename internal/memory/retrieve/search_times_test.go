package retrieve_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
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

// Of pages that are nearly alike those of the time in the question are served first, whichever is a
// little nearer.
func TestAnswerBeginsWithTheTimeOfTheQuestion(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	b := apptest.New(t)
	files := map[string]string{}
	for _, day := range []string{"2026-01-15", "2026-03-02", "2026-05-20", "2026-06-30", "2026-07-01", "2026-09-12", "2026-10-03", "2026-10-31"} {
		files[day+".md"] = fmt.Sprintf("---\ntitle: Harbour meeting %s\ndate: %[1]s\n---\nWe met at the harbour office and talked about dredging, cost %s.\n", day, day[8:])
	}
	a, ctx := b.Open(), t.Context()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir("notes", files)}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{All: true}))(t)
	for question, want := range map[string]string{
		"harbour meeting before March 2026":              "2026-01-15",
		"harbour meetings from August to September 2026": "2026-09-12",
		"harbour meeting in July 2026":                   "2026-07-01",
	} {
		got := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: question, Mode: api.ModeHybrid}}))(t)
		if len(got.Items) == 0 || got.Items[0].Date != want {
			t.Errorf("%q begins with %+v, want the page of %s", question, got.Items[:min(1, len(got.Items))], want)
		}
	}
}
