package retrieve

import (
	"cmp"
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
		{page: 0, speaker: "Ann", about: "Dee", score: 1},
		{page: 0, speaker: "Dee", about: "Ann", score: 1.2, found: map[string]int{"Cleo?": 1}},
		{page: 0, speaker: "Dee", about: "Dee", score: 1, found: map[string]int{"Cleo?": 1}},
		{page: 1, speaker: "Ann", about: "Ann", score: 1.1},
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
	turn := func(speaker string, score float64) passage {
		return passage{speaker: speaker, about: speaker, score: score}
	}
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

// A turn that speaks of "you" alone is about the one whom it addresses.
func TestSubjectsOfTurns(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		language string
		lines    []string
		want     string // whom each line is about
	}{
		"two":                              {"", []string{"Ann: I bought a necklace.", "Bo: It suits you! Who made it?", "Bo: I like it.", "Ann: My aunt made it for you to see.", "Ann: Nice weather."}, "Ann Ann Bo Ann Ann"},
		"first turn asks the next speaker": {"", []string{"- Ann: How was your trip?", "- Bo: Long."}, "Bo Bo"},
		"contractions":                     {"", []string{"Ann: Hi.", "Bo: You're early.", "Bo: I'm late, you know."}, "Ann Ann Bo"},
		"named among three":                {"", []string{"Ann Lee: Hi.", "Bo: Hello.", "Cleo: Ann, will you send your plan?", "Cleo: Do you agree?"}, "Ann Bo Ann Bo"},
		"parts of names that are shared":   {"", []string{"Ann Lee: Hi.", "Ann Ray: Hello.", "Bo Ann: Hello.", "Ann Ray: Ann, your plan!", "Ann Lee: Ann, your turn."}, "Ann Ann Bo Ann Ann"},
		"others spoke long ago":            {"", []string{"Ann: Hi.", "Bo: Hello.", "Bo: You go.", "Bo: Your turn.", "Ann: You wait.", "Ann: You see?"}, "Ann Bo Ann Ann Bo Bo"},
		"one alone":                        {"", []string{"Ann: You know.", "Ann: Your turn."}, "Ann Ann"},
		"lines without a speaker":          {"", []string{"Minutes", "Ann: Hi.", "so be it", "Bo: Your turn."}, "- Ann - Ann"},
		"German":                           {"German", []string{"Ann: Ich habe eine Kette.", "Bo: Steht dir gut!", "Bo: Das sage ich dir."}, "Ann Ann Bo"},
		"French":                           {"French", []string{"Ann: J'ai un collier.", "Bo: Il te va bien !", "Bo: Le maire du village."}, "Ann Ann Bo"},
		"Russian":                          {"Russian", []string{"Anna: Это мой дом.", "Boris: Твой дом красивый."}, "Anna Anna"},
		"Finnish, not known":               {"Finnish", []string{"Ann: Hei.", "Bo: You win."}, "Ann Bo"},
	} {
		var turns []passage
		for i, line := range tc.lines {
			turns = append(turns, passage{lines: [2]int{i, i}, speaker: speakerOf(line)})
		}
		setSubjects(turns, func(lines [2]int) string { return tc.lines[lines[0]] }, pronounsOf()[tc.language])
		var about []string
		for _, turn := range turns {
			first, _, _ := strings.Cut(turn.about, " ")
			about = append(about, cmp.Or(first, "-"))
		}
		if got := strings.Join(about, " "); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}
