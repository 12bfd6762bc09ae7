package scenarios_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// answerFrom answers a question from files, by words.
func answerFrom(t *testing.T, files map[string]string, question string, limit, budget int) api.QueryResult {
	t.Helper()
	b := apptest.New(t)
	root := b.Dir("notes", files)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
	return apptest.OK(read.Query(t.Context(), a, retrieve.QueryRequest{
		SearchRequest: retrieve.SearchRequest{Query: question, Mode: api.ModeWords, Limit: limit}, Budget: budget,
	}))(t)
}

// logbook is a page of days on which little happened.
func logbook(events map[int]string) string {
	text := "# Log\n\n"
	for day := range 40 {
		event := events[day]
		if event == "" {
			event = fmt.Sprintf("Day %d went by without much to tell, as the keeper wrote.", day)
		}
		text += "- " + event + "\n"
	}
	return text
}

// The budget goes to the best passages of all pages, not to the best page.
func TestPassagesOfSeveralPagesAreServed(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"north.md": logbook(map[int]string{3: "The lamp of the lighthouse was replaced.", 30: "The lamp of the lighthouse broke in the storm."}),
		"south.md": logbook(map[int]string{20: "A second lamp came for the lighthouse."}),
	}
	for _, limit := range []int{2, 10} {
		r := answerFrom(t, files, "lamp lighthouse", limit, 120)
		text := ""
		for _, h := range r.Items {
			text += h.Text + "\n"
			if h.Slug != "north" {
				continue
			}
			lines, parts := strings.Split(files["north.md"], "\n"), []string{}
			for _, p := range h.Parts {
				parts = append(parts, strings.Join(lines[p[0]-1:p[1]], "\n"))
			}
			if h.Text != strings.Join(parts, "\n…\n") || h.Stands != [2]int{h.Parts[0][0], h.Parts[len(h.Parts)-1][1]} {
				t.Errorf("limit %d: lines %v, parts %v: %q", limit, h.Stands, h.Parts, h.Text)
			}
		}
		for _, want := range []string{"was replaced", "broke in the storm", "A second lamp"} {
			if !strings.Contains(text, want) {
				t.Errorf("limit %d: %q is not served: %q", limit, want, text)
			}
		}
		if r.Spent > 120 {
			t.Errorf("limit %d: %d tokens", limit, r.Spent)
		}
	}
}

// What several pages say in the same words is served once.
func TestPassagesDoNotRepeat(t *testing.T) {
	t.Parallel()
	same := "The ferry to the island leaves from pier nine at noon."
	r := answerFrom(t, map[string]string{"a.md": logbook(map[int]string{5: same}), "b.md": logbook(map[int]string{6: same, 8: "The ferry back leaves the island at six."})}, "ferry island", 10, 150)
	text := ""
	for _, h := range r.Items {
		if h.Depth == api.DepthSection {
			text += h.Text + "\n"
		}
	}
	if n := strings.Count(text, same); n != 1 || !strings.Contains(text, "at six") {
		t.Errorf("%d times: %q", n, text)
	}
}

// Both sides of a contradiction are in an answer that has room for both.
func TestBothSidesOfAContradictionAreServed(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"old.md": logbook(map[int]string{10: "The library opens at nine, we agreed."}) + "\n- contradicts [[new]]\n",
		"new.md": logbook(map[int]string{12: "From now on people may enter at ten."}),
	}
	for i := range 4 {
		files[fmt.Sprintf("talk%d.md", i)] = logbook(map[int]string{i: fmt.Sprintf("Visitor %d asked when the library opens.", i), i + 10: fmt.Sprintf("The library opens late, said visitor %d.", i)})
	}
	r := answerFrom(t, files, "library opens enter", 10, 150)
	text := ""
	for _, h := range r.Items {
		text += h.Text + "\n"
	}
	if !strings.Contains(text, "at nine") || !strings.Contains(text, "at ten") {
		t.Errorf("%q", text)
	}
}
