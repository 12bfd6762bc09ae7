package links_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// jobHistory is a page with relations of many times; today is 2026-11-23.
const jobHistory = `# Pedro

- works_at [[Brex]] @2017-01-03..2026-03
- works_at [[Acme]] @2026-04..
- will_work_at [[Brex]] @2030..
- knows [[Ada]]
- knew [[Ada]] @..2020
`

func temporalVault(t *testing.T) (*apptest.Bed, *memory.Session, string) {
	t.Helper()
	b := apptest.New(t)
	b.Opts.Now = func() time.Time { return time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC) }
	root := b.Dir("notes", map[string]string{
		"people/pedro.md": jobHistory, "people/ada.md": "# Ada\n\nSee [[Brex]] and [[people/ada#Ada|herself]].\n",
		"companies/brex.md": "---\naliases: [Brex Inc]\n---\n# Brex\n", "companies/acme.md": "# Acme\n\n- rival_of [[Brex]]\n",
	})
	a := b.Open()
	apptest.OK(a.Spaces.Attach(t.Context(), root))(t)
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
	return b, a, root
}

// textOf is what a file says.
func textOf(t *testing.T, root, file string) string {
	t.Helper()
	return string(apptest.OK(os.ReadFile(filepath.Join(root, file)))(t))
}

func TestLinksAtATime(t *testing.T) {
	t.Parallel()
	_, a, _ := temporalVault(t)
	for _, tc := range []struct {
		to       bool
		temporal api.Temporal
		at       string
		lines    string
		hidden   int
	}{
		{lines: "3 4 5 6 7"},
		{temporal: api.AllTimes, lines: "3 4 5 6 7"},
		{temporal: api.Current, lines: "4 6", hidden: 3},
		{temporal: api.Historical, lines: "3 7", hidden: 3},
		{at: "2019-06", lines: "3 6 7", hidden: 2},
		{temporal: api.Historical, at: "2025", lines: "7", hidden: 4},
		{at: "2031", lines: "4 5 6", hidden: 2},
		{to: true, lines: "3 3", hidden: 2}, // of ada and of acme
		{to: true, temporal: api.AllTimes, lines: "3 3 3 5"},
		{to: true, at: "2020-01-01", lines: "3 3 3", hidden: 1},
	} {
		way, ref := api.Out, "people/pedro"
		if tc.to {
			way, ref = api.In, "companies/brex"
		}
		got := apptest.OK(links.List(t.Context(), a, api.LinksRequest{Ref: ref, Way: way, Temporal: tc.temporal, At: tc.at}))(t)
		var lines []string
		for _, l := range got.Items {
			lines = append(lines, fmt.Sprint(l.Line))
		}
		slices.Sort(lines)
		if s := strings.Join(lines, " "); s != tc.lines || got.Hidden != tc.hidden || got.Total != len(lines) {
			t.Errorf("%+v: lines %s, %d hidden, %d in all", tc, s, got.Hidden, got.Total)
		}
	}
	for _, bad := range []api.LinksRequest{{Temporal: "never"}, {Temporal: api.AllTimes, At: "2020"}, {At: "whenever"}} {
		bad.Ref = "people/pedro"
		if _, err := links.List(t.Context(), a, bad); kb.CodeOf(err) != kb.Usage {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	first := apptest.OK(links.List(t.Context(), a, api.LinksRequest{Way: api.In, Ref: "companies/brex", Temporal: api.AllTimes, Limit: 3}))(t)
	rest := apptest.OK(links.List(t.Context(), a, api.LinksRequest{Way: api.In, Ref: "companies/brex", Temporal: api.AllTimes, Limit: 3, Offset: 3}))(t)
	if len(first.Items) != 3 || first.Next != "3" || first.Total != 4 || len(rest.Items) != 1 || rest.Next != "" {
		t.Errorf("in parts: %d (next %q), %d (next %q)", len(first.Items), first.Next, len(rest.Items), rest.Next)
	}
}

// ids are the ids of the links at a page, by their line.
func ids(t *testing.T, a *memory.Session, list func(*memory.Session) (api.LinkList, error)) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	for _, l := range apptest.OK(list(a))(t).Items {
		out[fmt.Sprint(l.From, " ", l.Line)] = l.ID
	}
	return out
}

// A link has the same id from both of its ends, after it was closed, after a page
// got another name, and in a memory that is made of the files anew.
func TestLinkIDsStay(t *testing.T) {
	t.Parallel()
	b, a, root := temporalVault(t)
	from := func(l *memory.Session) (api.LinkList, error) {
		return links.List(t.Context(), l, api.LinksRequest{Ref: "people/pedro"})
	}
	first := ids(t, a, from)
	seen := map[int64]bool{}
	for at, id := range first {
		if id <= 0 || id >= 1<<53 || seen[id] {
			t.Errorf("%s has the id %d", at, id)
		}
		seen[id] = true
	}
	for at, id := range ids(t, a, func(l *memory.Session) (api.LinkList, error) {
		return links.List(t.Context(), l, api.LinksRequest{Way: api.In, Ref: "companies/brex", Temporal: api.AllTimes})
	}) {
		if known := first[at]; known != 0 && known != id {
			t.Errorf("%s has the id %d from one end and %d from the other", at, known, id)
		}
	}
	w := apptest.OK(links.Close(t.Context(), a, api.LinkRequest{ID: first["notes:people/pedro 4"], Until: "2026-10"}))(t)
	if w.Pages[0].Ref != "notes:people/pedro" || !strings.Contains(textOf(t, root, "people/pedro.md"), "- works_at [[Acme]] @2026-04..2026-10\n") {
		t.Fatalf("%+v: %s", w, textOf(t, root, "people/pedro.md"))
	}
	if diff := cmp.Diff(first, ids(t, a, from)); diff != "" {
		t.Errorf("closing one changed ids (-was +is):\n%s", diff)
	}
	opts := b.Opts
	opts.DB = filepath.Join(b.Home, "anew.db")
	anew := apptest.OK(memory.Open(t.Context(), opts, true))(t)
	defer anew.Close()
	apptest.OK(anew.Spaces.Attach(t.Context(), root))(t)
	apptest.OK(gitsync.Sync(t.Context(), anew, gitsync.SyncRequest{}))(t)
	if diff := cmp.Diff(first, ids(t, anew, from)); diff != "" {
		t.Errorf("a new memory has other ids (-was +is):\n%s", diff)
	}
	for id, code := range map[int64]kb.Code{
		first["notes:people/pedro 4"]: kb.Conflict, // ended already
		12345:                         kb.NotFound,
		ids(t, a, func(l *memory.Session) (api.LinkList, error) {
			return links.List(t.Context(), l, api.LinksRequest{Ref: "people/ada"})
		})["notes:people/ada 3"]: kb.Invalid, // no relation
	} {
		if _, err := links.Close(t.Context(), a, api.LinkRequest{ID: id}); kb.CodeOf(err) != code {
			t.Errorf("closing %d: %v, want %s", id, err, code)
		}
	}
}

// Of relations alike, which came from outside, each can be closed.
func TestCloseOneOfTwoAlike(t *testing.T) {
	t.Parallel()
	b, a, root := temporalVault(t)
	b.Dir("notes", map[string]string{"two.md": "# Two\n\n- works_at [[Brex]]\n- works_at [[Brex Inc]]\n- knows [[Ada]]\n- works_at [[Brex]]\n"})
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
	_, err := links.Close(t.Context(), a, api.LinkRequest{From: "two", Type: "works_at", To: "Brex", Until: "2020"})
	if kb.CodeOf(err) != kb.Ambiguous || !strings.Contains(err.Error(), "3 open relations match: id ") {
		t.Fatalf("closing one of three: %v", err)
	}
	all := ids(t, a, func(l *memory.Session) (api.LinkList, error) {
		return links.List(t.Context(), l, api.LinksRequest{Ref: "two"})
	})
	if !strings.Contains(err.Error(), fmt.Sprintf("id %d in line 6 of notes:two", all["notes:two 6"])) {
		t.Errorf("the error %v does not name %d", err, all["notes:two 6"])
	}
	// The file grows a line that no sync has seen.
	b.Dir("notes", map[string]string{"two.md": "# Two\n\nNews.\n\n- works_at [[Brex]]\n- works_at [[Brex Inc]]\n- knows [[Ada]]\n- works_at [[Brex]]\n"})
	apptest.OK(links.Close(t.Context(), a, api.LinkRequest{ID: all["notes:two 4"], Until: "2021"}))(t)
	apptest.OK(links.Close(t.Context(), a, api.LinkRequest{ID: all["notes:two 6"], Until: "2020"}))(t)
	apptest.OK(links.Close(t.Context(), a, api.LinkRequest{From: "two", Type: "works_at", To: "Brex", Until: "2022"}))(t)
	want := "# Two\n\nNews.\n\n- works_at [[Brex]] @..2022\n- works_at [[Brex Inc]] @..2021\n- knows [[Ada]]\n- works_at [[Brex]] @..2020\n"
	if diff := cmp.Diff(want, textOf(t, root, "two.md")); diff != "" {
		t.Error(diff)
	}
}
