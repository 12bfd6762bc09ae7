package scenarios_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/knowledge/assertion"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// place is where a statement is put on a page that a template made.
type place string

const (
	inState    place = "state"
	inSummary  place = "summary"
	inTimeline place = "timeline"
	inMetadata place = "metadata"
)

// filled fills a page of a template: a statement, and a relation to Tidal Labs.
func filled(t *testing.T, text string, in place, statement, relation string) string {
	t.Helper()
	put := func(old, now string) {
		if !strings.Contains(text, old) {
			t.Fatalf("the template has no %q", old)
		}
		text = strings.Replace(text, old, now, 1)
	}
	org := !strings.HasPrefix(text, "---\n")
	switch {
	case in == inState && org:
		put(":*\n# what is known now: role, place, how well you know each other.", ":*\n"+statement)
	case in == inState:
		put("<!-- what is known now: role, place, how well you know each other. -->", statement)
	case in == inSummary && org:
		put("# Who this is, and why it matters, in one sentence.", statement)
	case in == inSummary:
		put("<!-- Who this is, and why it matters, in one sentence. -->", statement)
	case in == inMetadata && org:
		put(":SCORE: 0\n", ":SCORE: 0\n:"+statement+"\n")
	case in == inMetadata:
		put("score: 0\n", "score: 0\n"+statement+"\n")
	case org:
		put("* Timeline", "* Timeline\n\n- "+statement)
	default:
		put("## Timeline", "## Timeline\n\n- "+statement)
	}
	if relation == "" {
		return text
	}
	if org {
		put("* Assessment", relation+"\n\n* Assessment")
	} else {
		put("## Assessment", relation+"\n\n## Assessment")
	}
	return text
}

// What people write on pages of the templates, in each place, is found; and nothing else.
func TestStatementsOnPagesOfTemplates(t *testing.T) {
	t.Parallel()
	const open = "- works_at [[companies/tidal-labs]] @2019-04.."
	for _, tc := range []struct {
		in                  place
		statement, relation string
		want                string
	}{
		{inState, "Mira left Tidal Labs in March 2026.", open, "temporal 2026-03"},
		{inState, "Mira has left Tidal Labs.", open, "temporal"},
		{inState, "Left [[companies/tidal-labs]].", open, "temporal"},
		{inState, "Former CEO of Tidal Labs.", open, "temporal"},
		{inState, "CEO of Tidal Labs until March 2026.", open, "temporal 2026-03"},
		{inState, "Her last day at Tidal Labs was 2025-03-01.", open, "temporal 2025-03-01"},
		{inState, "Mira quit Tidal Labs last week.", open, "temporal"},
		{inState, "Mira was fired from Tidal Labs.", open, "temporal"},
		{inState, "Mira resigned from Tidal Labs in March.", open, "temporal 2026-03"},
		{inState, "Mira moved from Tidal Labs to Nordlicht in May 2026.", open, "temporal 2026-05"},
		{inState, "Works at Nordlicht; left Tidal Labs on 3 March 2026. [Source: User, 2026-03-04]", open, "temporal 2026-03-03"},
		{inState, "Mira moved from Bergen to Oslo in 2026.", "- lives_in [[Bergen]] @2019..", "temporal 2026"},
		{inState, "Mira left Nordlicht at the end of October.", "- works_at [[companies/nordlicht-gmbh]]", "temporal 2026-10"},
		{inSummary, "Former CEO of Tidal Labs, now at Nordlicht.", open, "temporal"},
		{inSummary, "Ran Tidal Labs until 2026.", open, "temporal 2026"},
		{inTimeline, "2025-03-01 | email — Mira left Tidal Labs", open, "temporal 2025-03-01"},
		{inTimeline, "2025-03-01 | news — Resigns as CEO of [[companies/tidal-labs]]", open, "temporal 2025-03-01"},
		{inMetadata, "employer: Tidal Labs", "- works_at [[companies/tidal-labs]] @2019..2025-12", "assertion 2025-12"},
		{inMetadata, "role: former CEO of Tidal Labs", open, "temporal"},
		{inState, "Mira hat Tidal Labs im März 2026 verlassen.", open, "temporal 2026-03"},
		{inState, "Im März 2026 verließ Mira Holt Tidal Labs.", open, "temporal 2026-03"},
		{inState, "Bis Ende 2025 Einkaufsleiterin bei Tidal Labs.", open, "temporal 2025"},
		{inSummary, "Ehemalige Geschäftsführerin von Tidal Labs.", open, "temporal"},
		{inTimeline, "2025-03-01 | Mail — Mira hat bei Tidal Labs gekündigt", open, "temporal 2025-03-01"},
		{inState, "Mira a quitté Tidal Labs en mars 2026.", open, "temporal 2026-03"},
		{inState, "Mira hat Tidal Labs nicht verlassen.", open, ""},
		{inState, "Mira arbeitet bis 2027 bei Tidal Labs.", open, ""},
		{inState, "Former CFO of Tidal Labs.", "- ceo_of [[companies/tidal-labs]] @2019..", ""},
		{inState, "Stepped down as CEO of Tidal Labs in May 2026.", "- ceo_of [[companies/tidal-labs]] @2019..", "temporal 2026-05"},
		{inState, "No longer at Tidal Labs.", "- works_at [[companies/nordlicht]]", ""},
		{inState, "Mira runs Tidal Labs.", open, ""},
		{inState, "She left the door of Tidal Labs open until 2026.", open, ""},
		{inState, "The former approach of Tidal Labs failed.", open, ""},
		{inState, "She plans to leave; she may have left Tidal Labs.", open, ""},
		{inState, "Her brother has left Tidal Labs.", open, ""},
		{inState, "Mira will leave Tidal Labs in March 2027.", open, ""},
		{inState, "Mira left Tidal Labs in 2017.", open, ""}, // and came again
		{inTimeline, "2018-03-01 | email — Mira left Tidal Labs", open, ""},
		{inTimeline, "2025-03-01 | email — Bo left Tidal Labs", open, ""},
		{inSummary, "CEO of Tidal Labs.", open, ""},
	} {
		for _, format := range []string{"md", "org"} {
			if format == "org" && tc.in == inMetadata {
				tc.statement = strings.Replace(strings.ToUpper(tc.statement[:4])+tc.statement[4:], "EMPLoyer", "EMPLOYER", 1)
			}
			t.Run(fmt.Sprint(format, " ", tc.in, " ", tc.statement), func(t *testing.T) {
				a := withTemplates(t, format)
				id := apptest.OK(day.New(t.Context(), a, day.NewRequest{Template: "person", Title: "Mira Holt"}))(t).Pages[0].Ref
				page := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: id}))(t)
				text := filled(t, page.Text, tc.in, tc.statement, tc.relation)
				apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: id, Text: []byte(text), Overwrite: true}))(t)
				var got []string
				for _, c := range apptest.OK(contradiction.List(t.Context(), a, contradiction.Request{}))(t).Items {
					if !c.Certain {
						continue
					}
					got = append(got, strings.TrimSpace(c.Type+" "+c.B.ValidUntil))
					if c.Subject != "Mira Holt" || c.SubjectRef != id || c.A.Quote == "" || c.B.Quote == "" || c.B.Date == "" || len(c.B.Lines) == 0 {
						t.Errorf("the finding leaves something out: %+v", c)
					}
				}
				if got := strings.Join(got, ", "); got != tc.want {
					t.Errorf("found %q, want %q in\n%s", got, tc.want, text)
				}
			})
		}
	}
}

// withTemplates is a memory of a space with the preset, in which new pages have a format.
func withTemplates(t *testing.T, format string) *memory.Session {
	ctx, b := context.Background(), apptest.New(t)
	b.Clock(time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC), time.Second)
	files := map[string]string{"companies/tidal-labs.md": "# Tidal Labs\n", "companies/nordlicht.md": "# Nordlicht\n"}
	if format == "org" {
		files = map[string]string{"companies/tidal-labs.org": "#+title: Tidal Labs\n", "companies/nordlicht.org": "#+title: Nordlicht\n"}
	}
	root := b.Dir("notes", files)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root, Preset: "memory"}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Full: true}))(t)
	return a
}

// inMemory is a memory of one database space with pages.
func inMemory(t *testing.T, pages map[string]string) *memory.Session {
	t.Helper()
	b := apptest.New(t)
	b.Clock(time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC), time.Second)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Name: "memory", Preset: "memory", Database: true}))(t)
	for _, slug := range slices.Sorted(maps.Keys(pages)) {
		apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: slug, Text: []byte(pages[slug])}))(t)
	}
	return a
}

// certainly are the certain contradictions, one a line.
func certainly(t *testing.T, a *memory.Session, req contradiction.Request) string {
	t.Helper()
	var out []string
	for _, c := range apptest.OK(contradiction.List(t.Context(), a, req))(t).Items {
		if c.Certain {
			out = append(out, c.Type+" "+c.Text)
		}
	}
	return strings.Join(out, "\n")
}

// A truth in a database space is as old as it says, whenever it is written.
func TestAsOfInDatabaseSpaces(t *testing.T) {
	t.Parallel()
	const state = "# %s\n\n## State\n\n**As of %s:** CFO.\n\n---\n\n## Timeline\n\n- **%s** | email — Resigned\n"
	a := inMemory(t, map[string]string{
		"people/priya": fmt.Sprintf(state, "Priya", "February 2026", "2026-11-12"),
		"people/fresh": fmt.Sprintf(state, "Fresh", "2026-11-01", "2026-11-12"),
		"people/older": fmt.Sprintf(state, "Older", "2026-02-01", "2025-11-12"), // the entry is older than the truth
		"people/plan":  fmt.Sprintf(state, "Plan", "2026-11-01", "2027-05-12"),
	})
	want := "stale Priya: the truth is of 2026-02, the newest entry of 2026-11-12"
	for range 2 {
		if got := certainly(t, a, contradiction.Request{}); got != want {
			t.Errorf("found\n%s\nwant\n%s", got, want)
		}
		// Any other change leaves the truth as old as it is.
		apptest.OK(change.EditPage(t.Context(), a, change.EditRequest{Ref: "people/priya", Edits: []doc.Edit{doc.AddTag{Tag: "finance"}}}))(t)
	}
	apptest.OK(change.EditPage(t.Context(), a, change.EditRequest{Ref: "people/priya", Edits: []doc.Edit{doc.Replace{Old: "February 2026", New: "2026-11-27"}}}))(t)
	if got := certainly(t, a, contradiction.Request{}); got != "" {
		t.Errorf("found\n%s", got)
	}
}

// Two pages with a predicate that has one subject at a time contradict each other,
// whichever page is asked for; so do statements that other pages make of a person.
func TestContradictionsAcrossPages(t *testing.T) {
	t.Parallel()
	a := inMemory(t, map[string]string{
		"companies/tidal-labs": "# Tidal Labs\n",
		"companies/kessel-ag":  "# Kessel AG\n",
		"people/mira-holt":     "# Mira Holt\n\n- works_at [[companies/tidal-labs]] @2019-04..\n- ceo_of [[companies/tidal-labs]] @2019-04..\n",
		"people/bo-lind":       "# Bo Lind\n\n- is_ceo_of [[companies/tidal-labs]] @2026-03..\n",
		"meetings/2026-11-26":  "# Meeting\n\n[[people/mira-holt|Mira]] has left [[companies/tidal-labs]]. [Source: meeting, 2026-11-26]\n",
		"people/jo":            "---\nformer_employer: \"[[companies/kessel-ag]]\"\n---\n# Jo\n\n- works_at [[companies/kessel-ag]] @2019..\n",
		"people/emil":          "---\nemployer: Kessel AG\n---\n# Emil\n\n- works_at [[companies/kessel-ag]] @2019..2025-12\n",
	})
	const (
		ceo    = "cross_page Tidal Labs: ceo_of: Mira Holt @2019-04.. and Bo Lind @2026-03.."
		left   = "temporal Mira Holt: works_at companies/tidal-labs @2019-04.. is open, the text says it ended"
		role   = "temporal Mira Holt: ceo_of companies/tidal-labs @2019-04.. is open, the text says it ended"
		former = "temporal Jo: works_at companies/kessel-ag @2019.. is open, the text says it ended"
		closed = "assertion Emil: employer is Kessel AG, the relation works_at ended in 2025-12"
	)
	for ref, want := range map[string]string{
		"":                     ceo + "\n" + left + "\n" + role + "\n" + former + "\n" + closed,
		"people/jo":            former,
		"companies/tidal-labs": ceo,
		"people/mira-holt":     ceo + "\n" + left + "\n" + role,
		"people/bo-lind":       ceo,
		"meetings/2026-11-26":  left + "\n" + role,
		"people/emil":          closed,
		"companies/kessel-ag":  "",
	} {
		got := strings.Split(certainly(t, a, contradiction.Request{Ref: ref}), "\n")
		wanted := strings.Split(want, "\n")
		slices.Sort(got)
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) {
			t.Errorf("%q: found\n%s\nwant\n%s", ref, strings.Join(got, "\n"), want)
		}
	}
	// Each can be settled; who is CEO settles that the other is not any more.
	for {
		l := apptest.OK(contradiction.List(t.Context(), a, contradiction.Request{}))(t)
		if l.Certain == 0 {
			break
		}
		c, keep := l.Items[0], "b"
		if c.Type == "cross_page" {
			keep = "people/bo-lind"
		}
		apptest.OK(change.Resolve(t.Context(), a, contradiction.ResolveRequest{ID: c.ID, Keep: keep}))(t)
	}
	if got := certainly(t, a, contradiction.Request{}); got != "" {
		t.Errorf("left\n%s", got)
	}
	emil := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: "people/emil"}))(t).Text
	if strings.Count(emil, "works_at") != 1 || strings.Contains(emil, "employer") {
		t.Errorf("the relation that says it ended is there:\n%s", emil)
	}
	mira := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: "people/mira-holt"}))(t).Text
	if !strings.Contains(mira, "ceo_of [[companies/tidal-labs]] @2019-04..2026-03") || !strings.Contains(mira, "works_at [[companies/tidal-labs]] @2019-04..2026-11-26") {
		t.Errorf("ended otherwise:\n%s", mira)
	}
}

// A finding has both sides with quote, kind, date, source and authority.
func TestSidesOfFindings(t *testing.T) {
	t.Parallel()
	a := inMemory(t, map[string]string{
		"people/dana": "# Dana\n\n**As of 2026-02-01:** CTO.\n\n- works_at [[Acme Labs]] @2019.. (Source: User, call, 2026-01-05)\n\n---\n\n- **2026-03-01** | email — Dana left Acme Labs\n",
	})
	c := apptest.OK(contradiction.List(t.Context(), a, contradiction.Request{Types: []string{"temporal"}}))(t).Items[0]
	want := []api.Side{
		{
			Ref: "memory:people/dana", Title: "Dana", Lines: []int{5, 5}, Quote: "- works_at [[Acme Labs]] @2019.. (Source: User, call, 2026-01-05)",
			Subject: "Dana", SubjectRef: "memory:people/dana", Predicate: "works_at", Object: "Acme Labs", ValidFrom: "2019",
			Date: "2026-01-05", Source: "relation", Cited: "User, call, 2026-01-05", Authority: "user",
		},
		{
			Ref: "memory:people/dana", Title: "Dana", Lines: []int{9, 9}, Quote: "Dana left Acme Labs", Subject: "Dana", SubjectRef: "memory:people/dana",
			Object: "Acme Labs", ValidUntil: "2026-03-01", Date: "2026-03-01", Source: "timeline", Cited: "email", Authority: "primary",
		},
	}
	if diff := cmp.Diff(want, []api.Side{c.A, c.B}); diff != "" {
		t.Errorf("sides (-want +got):\n%s", diff)
	}
	if got, want := c.B.Line(), "memory:people/dana:9  Dana left Acme Labs  [timeline, 2026-03-01, primary: email]"; got != want {
		t.Errorf("the line is %q, want %q", got, want)
	}
}

// A briefing lists certain contradictions of every type.
func TestBriefingListsEveryType(t *testing.T) {
	t.Parallel()
	a := inMemory(t, map[string]string{
		"people/a": "# A\n\n- works_at [[X]]\n- works_at [[Y]]\n",
		"people/b": "# Bob\n\nBob left [[X]] in 2025.\n\n- works_at [[X]] @2019..\n",
		"people/c": "---\nemployer: X\n---\n# C\n\n- works_at [[X]] @2019..2025\n",
		"people/e": "# E\n\n**As of 2026-01-01:** writes.\n\n---\n\n- **2026-11-01** | letter — Stopped\n",
		"people/f": "# F\n\nRuns Brex.\n",
		"people/d": "# D\n",
	})
	apptest.OK(assertion.Add(t.Context(), a, api.AssertRequest{Subject: "people/f", Predicate: "runs", Object: "Brex", Evidence: "Runs Brex"}))(t)
	apptest.OK(change.EditPage(t.Context(), a, change.EditRequest{Ref: "people/f", Edits: []doc.Edit{doc.Replace{Old: "Runs Brex.", New: "Writes."}}}))(t)
	counted := apptest.OK(contradiction.List(t.Context(), a, contradiction.Request{}))(t)
	types := map[string]bool{}
	for _, c := range counted.Items {
		if c.Certain {
			types[c.Type] = true
		}
	}
	if len(types) != 5 {
		t.Fatalf("not every type was planted: %v", types)
	}
	listed := 0
	for _, s := range apptest.OK(brief.CompileBriefing(t.Context(), a, brief.Request{}))(t).Sections {
		if s.Name == "contradictions" || s.Name == "stale" {
			listed += len(s.Items)
		}
	}
	if listed != counted.Certain {
		t.Errorf("a briefing lists %d of %d contradictions", listed, counted.Certain)
	}
}
