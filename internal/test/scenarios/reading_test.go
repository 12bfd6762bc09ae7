package scenarios_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/rank"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// plugin is a note as a program fills in a template: badges, comments, a footer.
func plugin(name, what string) string {
	return fmt.Sprintf(`---
aliases: [%[1]s]
---

%%%% ----- Badges ----- %%%%

![GitHub all releases](https://img.shields.io/github/downloads/x/%[1]s/total?style=for-the-badge)

%%%% ----- Badges ----- %%%%

# %[1]s

Links: [GitHub repository](https://github.com/someone/%[1]s) or [[Mobile-compatible plugins|more plugins like this]]

%[2]s

%%%% Footer: do not edit anything below this line %%%%

# This note in GitHub

<span class="git-footer">[Edit this note on GitHub](https://github.dev/x/blob/main/%[1]s.md "edit") | [Copy this note](https://raw.example/x/%[1]s.md "copy")</span>
`, name, what)
}

func readingBed(t *testing.T) *memory.Session {
	t.Helper()
	b := apptest.New(t)
	files := map[string]string{
		"awk.org":  "#+title: Awk\n\nA language for tables, see [[https://sparky.rice.edu/~hartigan/awk.html][the manual]].\n",
		"rice.org": "#+title: Supper\n\nWe boil rice for a quarter of an hour, see [[id:be63d7a1-0000-4000-8000-000000000000][pots]].\n",
	}
	for i := range 12 {
		files[fmt.Sprintf("plugins/p%d.md", i)] = plugin(fmt.Sprint("p", i), fmt.Sprintf("It sends your daily note number %d to a calendar.", i))
	}
	root := b.Dir("notes", files)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
	return a
}

// What is served is what a reader sees, and stands where it says.
func TestAnswersAreForReading(t *testing.T) {
	t.Parallel()
	a := readingBed(t)
	r := apptest.OK(read.Query(t.Context(), a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: `"daily note number 7" calendar`}}))(t)
	if len(r.Items) == 0 || r.Items[0].Slug != "plugins/p7" {
		t.Fatalf("%+v", r.Items)
	}
	// Lines that many pages have are left out, with the heading above nothing else.
	want := "# p7\n\nIt sends your daily note number 7 to a calendar."
	if got := r.Items[0]; got.Text != want || got.Stands != [2]int{11, 15} || got.Depth != api.DepthFull {
		t.Errorf("lines %v: %q", got.Stands, got.Text)
	}
	if text := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: "plugins/p7"}))(t); !strings.Contains(string(text.Text), "%% ----- Badges ----- %%") {
		t.Errorf("get is not exact: %q", text.Text)
	}
}

// A line that many pages have is no answer while another line has words of the query.
func TestSharedLinesAreNotShown(t *testing.T) {
	t.Parallel()
	a := readingBed(t)
	for query, want := range map[string]string{
		"note github":     "daily note number", // most of its words stand in the footer
		"edit github":     "Edit this note on GitHub",
		"github calendar": "calendar",
	} {
		r := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: query, SnippetLen: 60}))(t)
		if len(r.Items) == 0 || !strings.Contains(r.Items[0].Snippet, want) {
			t.Errorf("%s: %q", query, r.Items[0].Snippet)
		}
	}
}

// Words of an address are found, last, and answer no question.
func TestAddressesWeighLeast(t *testing.T) {
	t.Parallel()
	a := readingBed(t)
	paths := func(query string, mode api.Mode) (out []string) {
		for _, h := range apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: query, Mode: mode}))(t).Items {
			out = append(out, h.Path)
		}
		return out
	}
	if got := paths("rice", api.ModeWords); fmt.Sprint(got) != "[rice.org awk.org]" {
		t.Errorf("rice: %v", got)
	}
	if got := paths("how do I cook rice?", api.ModeHybrid); fmt.Sprint(got) != "[rice.org]" {
		t.Errorf("a question: %v", got)
	}
	if got := paths("sparky.rice.edu", api.ModeHybrid); fmt.Sprint(got) != "[awk.org]" {
		t.Errorf("an address: %v", got)
	}
	if h := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: "sparky"}))(t); len(h.Items) != 1 || !strings.Contains(h.Items[0].Snippet, "sparky.rice.edu") {
		t.Errorf("the snippet of an address: %+v", h.Items)
	}
}

// An answer says whether it fits, and what does not fit is not served at length.
func TestAnswersSayHowWellTheyFit(t *testing.T) {
	t.Parallel()
	a := readingBed(t)
	for question, want := range map[string]string{
		"p7":                        "strong", // a name
		"boil rice":                 "strong",
		"how long do we boil rice?": "strong",
		"is boiled rice good in a humid climate?": "weak",
		"wifi password of the rice farm":          "weak", // the page on rice may say it in other words
		"wifi password of the farm":               "none",
		"zzqx flurbl calendar":                    "none",
		"path:plugins":                            "",
	} {
		r := apptest.OK(read.Query(t.Context(), a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: question, Mode: api.ModeWords}}))(t)
		if r.Match != want {
			t.Errorf("%s: match %q, want %q", question, r.Match, want)
		}
		switch c := r.Confidence; {
		case want == "":
			if c != nil {
				t.Errorf("%s: confidence %v", question, *c)
			}
		case c == nil || *c <= 0 || *c > 1 || (*c == 1) != (question == "p7"):
			t.Errorf("%s: confidence %v", question, c)
		case (*c >= rank.StrongFrom) != (want == "strong") || (*c < rank.NoneBelow) != (want == "none"):
			t.Errorf("%s: match %s stands on %v", question, want, *c)
		}
		for _, h := range r.Items {
			if want == "none" && h.Depth != api.DepthSummary {
				t.Errorf("%s: %s served in depth %q", question, h.Slug, h.Depth)
			}
		}
	}
}

// A line that many pages have is served where it is what answers.
func TestSharedLinesThatAnswer(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 14 {
		files[fmt.Sprintf("p%d.md", i)] = fmt.Sprintf("# Project %d\n\nIt moves boxes of kind %d.\n\n- Owner: Ann Smith\n", i, i)
	}
	b := apptest.New(t)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: b.Dir("projects", files)}))(t)
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
	r := apptest.OK(read.Query(t.Context(), a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: "which projects does Ann Smith own?"}}))(t)
	if len(r.Items) == 0 || !strings.Contains(r.Items[0].Text, "Owner: Ann Smith") {
		t.Errorf("%+v", r.Items)
	}
}
