package lifecycle_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/doc/sentence"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
)

func TestSum(t *testing.T) {
	t.Parallel()
	type texts = []lifecycle.SourceText
	type parts = [4][]string
	for _, tc := range []struct {
		name  string
		texts texts
		want  lifecycle.Extract
	}{
		{"nothing", nil, lifecycle.Extract{}},
		{"no prose", texts{{Text: "# Only a heading\n\n```\nDecided in code.\n```\n| a | table |\n\n- [[Link]]\n"}}, lifecycle.Extract{}},
		{"the first sentence of each, the newest first, and what belongs to it", texts{
			{Text: "Sprint price is 12,000 EUR. We decided this because the pilot at Client X cost us 9,000 EUR.", Day: "2026-01-01"},
			{Text: "Sprints are priced per two weeks, not per day.", Day: "2026-01-02"},
			{Text: "The budget owner at Client X is Ms. Okafor. The door is green.", Day: "2026-01-03"},
		}, lifecycle.Extract{First: []string{
			"The budget owner at Client X is Ms. Okafor. The door is green.", "Sprints are priced per two weeks, not per day.",
			"Sprint price is 12,000 EUR. We decided this because the pilot at Client X cost us 9,000 EUR.",
		}, Central: 0}},
		{"parts in their order", texts{
			{Text: "Client X plans by the quarter.\n\nThey use Jira for planning. The office has a green door.", Day: "2026-01-01"},
			{Text: "# Sprints\n\nThe format of sprints.\n\nClient X rejected it because it is too disruptive to planning. Planning is now quarterly.\n\nThe tests run on Mondays.\n\nSomebody had coffee with milk and with sugar. Ada was there.", Day: "2026-02-01"},
		}, lifecycle.Extract{
			First: []string{"The format of sprints.", "Client X plans by the quarter."},
			Parts: parts{
				{"Client X rejected it because it is too disruptive to planning. Planning is now quarterly."}, nil,
				{"The tests run on Mondays.", "They use Jira for planning. The office has a green door."},
				{"Somebody had coffee with milk and with sugar. Ada was there."},
			}, Central: 1,
		}},
		{"what a newer text says already is said once, unless it says the opposite", texts{
			{Text: "One.\n\nWe decided to launch the portal. Refunds need an approver."},
			{Text: "Two.\n\nWe decided to launch the new portal in April. Refunds need no approver.", Day: "2026-02-01"},
		}, lifecycle.Extract{
			First:   []string{"Two.", "One."},
			Parts:   parts{{"We decided to launch the new portal in April. Refunds need no approver."}, nil, nil, {"Refunds need an approver."}},
			Central: 0,
		}},
		{"the same first sentence", texts{{Text: "The same."}, {Text: "The same."}, {Text: "The same. It is 5."}}, lifecycle.Extract{First: []string{"The same.", "It is 5."}[:1], Parts: parts{nil, nil, nil, {"It is 5."}}}},
		{"categories of observations", texts{
			{Text: "- [state] Up\n- [decision] Postgres it is #db\n- [rationale] One engine less"},
		}, lifecycle.Extract{First: []string{"[state] Up"}, Parts: parts{{"[decision] Postgres it is #db"}, {"[rationale] One engine less"}, nil, nil}}},
		{"what was replaced is apart", texts{
			{Text: "The retainer is 4,500 EUR. It is due on Mondays.", Replaced: true}, {Text: "The retainer is 5,200 EUR."},
		}, lifecycle.Extract{First: []string{"The retainer is 5,200 EUR."}, Replaced: []string{"The retainer is 4,500 EUR."}, Central: 1}},
		{"all of a summary", texts{
			{Text: "- Door is green.\n- Wall is white, and nobody ever asks for it, not even in spring.\n\n## Compacted from\n\n- [[Door]]\n- [[Wall]]", Summary: true},
		}, lifecycle.Extract{First: []string{"Door is green."}, Parts: parts{nil, nil, nil, {"Wall is white, and nobody ever asks for it, not even in spring."}}}},
		{"rules", texts{{Text: "Door is green.\n\n***\n\n**\n\n---"}, {Text: "****"}}, lifecycle.Extract{First: []string{"Door is green."}}},
		{"any script", texts{
			{Text: "計画は四半期ごとに立てる。会議は水曜日。"}, {Text: "四半期の計画が大切だ。"},
		}, lifecycle.Extract{First: []string{"計画は四半期ごとに立てる。会議は水曜日。", "四半期の計画が大切だ。"}}},
	} {
		if diff := cmp.Diff(tc.want, lifecycle.Sum(tc.texts)); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
	}
}

// Of long texts, sentences that state nothing are left out, questions first.
func TestSumOfLongTexts(t *testing.T) {
	t.Parallel()
	text := "Clay.\n\nWill they ever change the supplier of clay?"
	for _, word := range strings.Fields("ash bowl cup dish ewer flask glaze handle ink jug kiln lid mug neck oven plate quartz rim slip tile urn vase") {
		text += " It is the " + word + " that somebody made for somebody else while the rain fell and fell on the roof of that house, and nobody counted it."
	}
	sum := lifecycle.Sum([]lifecycle.SourceText{{Text: text + " We decided to stay."}, {Text: "Other."}})
	got := strings.Join(append(slices.Concat(sum.Parts[:]...), sum.First...), "\n")
	if strings.Contains(got, "?") || !strings.Contains(got, "We decided to stay.") || len(got) > len(text)*4/5 {
		t.Errorf("%d of %d bytes: %s", len(got), len(text), got)
	}
}

// An extract has no sentence that the texts do not have, and the first one of each.
func TestSumSaysWhatTheTextsSay(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"One.", "We will go. We must stay.", strings.Repeat("Every sentence is decided by dice. ", 50), "a\nb\nc", "日本。"} {
		texts := []lifecycle.SourceText{{Text: text + " First."}, {Text: text}, {Text: "Third: " + text}}
		size := 0
		for _, x := range texts {
			size += len(x.Text)
		}
		sum := lifecycle.Sum(texts)
		got := 0
		for _, item := range append(slices.Concat(sum.Parts[:]...), sum.First...) {
			got += len(item)
			for _, s := range sentence.Split(item) {
				if !strings.Contains(strings.Join(strings.Fields(texts[0].Text+" "+texts[2].Text), " "), s) {
					t.Errorf("%q says %q", text, s)
				}
			}
		}
		if got > size {
			t.Errorf("of %d bytes of %q, %d are kept", size, text, got)
		}
		for _, x := range texts {
			first := strings.Join(strings.Fields(sentence.First(x.Text)), " ")
			if !slices.ContainsFunc(sum.First, func(item string) bool { return strings.HasPrefix(item, first) }) {
				t.Errorf("%q is missing: %q", first, sum.First)
			}
		}
	}
}
