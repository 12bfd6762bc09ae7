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

func TestCompareTurns(t *testing.T) {
	t.Parallel()
	names := map[string]bool{"ann": true, "cleo": true}
	dialogue := func(p passage) bool { return p.speaker != "" }
	turn := func(speaker string, score float64) passage { return passage{speaker: speaker, score: score} }
	for name, tc := range map[string]struct {
		all  []passage
		want turns
	}{
		"nobody":       {[]passage{{score: 2}}, turns{}},
		"one alone":    {[]passage{turn("Ann", 2)}, turns{named: "Ann"}},
		"others alone": {[]passage{turn("Bo", 2), turn("Dee", 1)}, turns{other: "Bo"}},
		"two named":    {[]passage{turn("Ann", 2), turn("Cleo", 1), turn("Bo", 3)}, turns{}},
		"ahead":        {[]passage{turn("Bo", 1), turn("Ann", 2), {score: 9}}, turns{known: true, ahead: 1, named: "Ann"}},
		"behind":       {[]passage{turn("Ann", 1), turn("Bo", 2), turn("Bo", 2), turn("Bo", 2), turn("Bo", 0)}, turns{known: true, ahead: -1, named: "Ann", other: "Bo"}},
		"mean":         {[]passage{turn("Ann", 3), turn("Ann", 0), turn("Bo", 2), turn("Bo", 2)}, turns{known: true, ahead: .25, named: "Ann"}},
	} {
		if got := compareTurns(names, tc.all, dialogue); got != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
}
