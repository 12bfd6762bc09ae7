package retrieve_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// Operators of Obsidian ask for words in one part of a page, and for regular expressions.
func TestParts(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: b.Dir("notes", map[string]string{
		"a.md":   "---\nx: zebra7\n---\n# Alpha\n\nThe red fox runs.\n\nThe blue dog sleeps.\n\n## Sub\n\n- [ ] buy milk\n- [x] call mum\n\nfoo123 bar\n",
		"b.md":   "# Beta\n\nThe red dog runs.\n\n- [ ] call mum\n",
		"c.md":   "# Gamma\n\nred\nfox\n",
		"key.md": "# Key\n\nkey: ghp_16C7e42F292c6912E7710c838347Ae178B4a cairn\n",
		"o.org":  "* One\n:PROPERTIES:\n:ID: 0b5c7f5e-2d0e-4a57-93d9-6f0a7a3f3c10\n:END:\norg zoo\n* Two\norg cat\n",
	})}))(t)
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
	for q, want := range map[string]string{
		"line:(red fox)": "a", `line:"red dog"`: "b", "block:(red fox)": "a c", "section:(fox milk)": "", "section:(foo123 milk)": "a",
		"task:call": "a b", "task-todo:call": "b", "task-done:call": "a", `task:""`: "a b", `-task:"" -path:o.org`: "c key",
		"-line:(red fox) red": "b c", "line:(red -fox)": "b c", "line:/D.g r/": "b", "line:(red OR blue)": "a b c",
		`/foo\d+/`: "a", "/FOX$/": "c", `/red.fox/`: "a", `/red\sfox/ -line:fox`: "", `/red\s+fox/`: "a c", "/zebra[0-9]/": "",
		`/ghp_1[0-9]C7/`: "", "(line:(red fox) OR task:milk) -/nothing[x]/": "a", "/zoo|cat/": "o o#0b5c7f5e-2d0e-4a57-93d9-6f0a7a3f3c10", "/zoo$/": "o#0b5c7f5e-2d0e-4a57-93d9-6f0a7a3f3c10",
	} {
		r := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: q, Mode: api.ModeWords, Limit: 20}))(t)
		var got []string
		for _, h := range r.Items {
			got = append(got, h.Slug)
		}
		slices.Sort(got)
		if found := strings.Join(got, " "); found != want {
			t.Errorf("%s finds %s, want %s (%q)", q, found, want, r.Notes)
		}
	}
	r := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: `/foo\d+/`, Limit: 20}))(t)
	if len(r.Items) != 1 || r.Items[0].Snippet != "foo123 bar" || r.Items[0].Lines != [2]int{15, 15} {
		t.Errorf("%+v", r.Items)
	}
}

// A regular expression that would hold a core for minutes is not run, nor is one on a page
// that is too long for it.
func TestRegularExpressionsAreBounded(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: b.Dir("notes", map[string]string{
		"long.md":  "# Long\n\n" + strings.Repeat("a", 200<<10) + " q7\n",
		"short.md": "# Short\n\naaaa q7\n",
	})}))(t)
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
	for q, want := range map[string]struct{ found, note string }{
		"/" + strings.Repeat(".{0,1000}", 52) + `q\d/`: {"", "repetitions are too many"},
		`/.{0,400} q\d/`: {"short", "1 of 2 pages are too long"},
		`/q\d/`:          {"long short", ""},
	} {
		r := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: q, Mode: api.ModeWords, Limit: 20}))(t)
		var got []string
		for _, h := range r.Items {
			got = append(got, h.Slug)
		}
		slices.Sort(got)
		if found := strings.Join(got, " "); found != want.found || !strings.Contains(strings.Join(r.Notes, "\n"), want.note) {
			t.Errorf("%s finds %s, want %s (%q)", q, found, want.found, r.Notes)
		}
	}
}
