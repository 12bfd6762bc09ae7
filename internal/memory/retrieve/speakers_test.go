package retrieve

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/search/query"
)

func TestSpeakerOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"- [D1:3] Caroline: I went":       "Caroline",
		"**Ann Lee:** yes":                "Ann Lee",
		"* **Bo**: no":                    "Bo",
		"[10:02] Bo (chair): next":        "Bo",
		"10:02 Bo: next":                  "Bo",
		"Jean-Luc O'Neill: agreed":        "Jean-Luc O'Neill",
		"we said: wait":                   "",
		"https://example.org":             "",
		"The plan for all of us is: wait": "",
		"Lease:none":                      "",
	} {
		if got := speakerOf(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestAskedNames(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"What did Caroline say to Mel's brother?": "caroline mel",
		"Which books has Ann Lee read?":           "ann lee",
		"where is the harbour":                    "",
		"Ann":                                     "",
	} {
		got := askedNames(query.Parse(question, time.Time{}).Root)
		if text := strings.Join(slices.Sorted(maps.Keys(got)), " "); text != want {
			t.Errorf("%q: %q, want %q", question, text, want)
		}
	}
}

// In a dialogue the turns of the named speaker come first; a page with a single label is none.
// Each name of the question raises one passage that has it.
func TestAddNames(t *testing.T) {
	t.Parallel()
	s := &Search{query: query.Query{Root: query.Parse("What did Ann tell Bo about Cleo?", time.Time{}).Root}}
	all := []passage{
		{page: 0, speaker: "Ann", score: 1},
		{page: 0, speaker: "Dee", score: 1.2, found: map[string]int{"Cleo?": 1}},
		{page: 0, speaker: "Dee", score: 1, found: map[string]int{"Cleo?": 1}},
		{page: 1, speaker: "Ann", score: 1.1},
		{page: 2, score: 1.1},
	}
	s.addNames(all, 3)
	for i, want := range []float64{1 + passageSpoken, 1.2 + passageName, 1, 1.1, 1.1} {
		if all[i].score != want {
			t.Errorf("passage %d has %.2f, want %.2f", i, all[i].score, want)
		}
	}
}
