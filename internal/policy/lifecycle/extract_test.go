package lifecycle_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
)

func TestSum(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		texts   []lifecycle.SourceText
		parts   [4][]string
		central int
	}{
		{"nothing", nil, [4][]string{}, 0},
		{"no prose", []lifecycle.SourceText{{Text: "# Only a heading\n\n```\nDecided in code.\n```\n| a | table |\n"}}, [4][]string{}, 0},
		{"parts in their order, the newest first", []lifecycle.SourceText{
			{Text: "Client X plans by the quarter. They use Jira for planning. The office has a green door.", Day: "2026-01-01"},
			{Text: "# Sprints\n\nClient X rejected the sprint format because it is too disruptive to planning. Planning is now quarterly. Somebody had coffee with milk.", Day: "2026-02-01"},
		}, [4][]string{
			{"Client X rejected the sprint format because it is too disruptive to planning."}, nil,
			{"Planning is now quarterly.", "They use Jira for planning."}, nil,
		}, 1},
		{"what two say is said once, as the newer does", []lifecycle.SourceText{
			{Text: "- We decided to launch the portal. More is written elsewhere, at some length.", Day: "2026-01-01"},
			{Text: "- We decided to launch the new portal in April.", Day: "2026-02-01"},
			{Text: "- We decided to launch the other portal in March.", Day: "2026-01-15"},
		}, [4][]string{{"We decided to launch the new portal in April.", "We decided to launch the other portal in March."}, nil, nil, nil}, 0},
		{"each part has its turn", []lifecycle.SourceText{
			{Text: "We agreed on the first. Trains are now late. We agreed on the second. We agreed on the third. We agreed on the fourth."},
		}, [4][]string{{"We agreed on the first.", "We agreed on the second."}, nil, {"Trains are now late."}, nil}, 0},
		{"categories of observations", []lifecycle.SourceText{
			{Text: "- [decision] Postgres it is #db\n- [rationale] One engine less\n- [idea] Something that is long enough to be left out of this"},
			{Text: "Another page whose words are of no importance to anybody at all."},
		}, [4][]string{{"[decision] Postgres it is #db"}, {"[rationale] One engine less"}, nil, nil}, 0},
		{"a question says nothing, whatever its words", []lifecycle.SourceText{
			{Text: "Will they decide to change the supplier of clay now? The supplier of clay is in Leeds, up north."},
			{Text: "Who decided on the supplier of clay? Clay comes in bags of twenty kilos."},
		}, [4][]string{nil, nil, {"The supplier of clay is in Leeds, up north."}, {"Clay comes in bags of twenty kilos."}}, 0},
		{"any script", []lifecycle.SourceText{
			{Text: "計画は四半期ごとに立てる。会議は水曜日。"}, {Text: "四半期の計画が大切だ。"},
		}, [4][]string{nil, nil, nil, {"計画は四半期ごとに立てる。"}}, 0},
	} {
		got := lifecycle.Sum(tc.texts)
		if diff := cmp.Diff(tc.parts, [4][]string(got.Parts)); diff != "" || got.Central != tc.central {
			t.Errorf("%s: %s, central %d, want %d", tc.name, diff, got.Central, tc.central)
		}
	}
}

// A summary of several texts is shorter than they are, whatever they are.
func TestSumIsShorter(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"One.", "We will go. We must stay.", strings.Repeat("Every sentence is decided by dice. ", 50), "a\nb\nc", "日本。"} {
		texts := []lifecycle.SourceText{{Text: text + " First."}, {Text: text}, {Text: "Third: " + text}}
		size := 0
		for _, x := range texts {
			size += len(x.Text)
		}
		got := 0
		for _, p := range lifecycle.Sum(texts).Parts {
			for _, s := range p {
				got += len(s)
			}
		}
		if got >= size {
			t.Errorf("of %d bytes of %q, %d are kept", size, text, got)
		}
	}
}
