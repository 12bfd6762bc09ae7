package main

import (
	"strings"
	"testing"
)

// What a summary keeps of turns is counted turn by turn.
func TestMeasureSummaries(t *testing.T) {
	t.Parallel()
	walk := ""
	for word := range strings.FieldsSeq("ash bowl cup dish ewer flask glaze handle ink jug kiln lid mug neck oven plate quartz rim slip tile urn vase") {
		walk += " There was a " + word + " that somebody had made for somebody else while the rain fell and fell on the roof of the house by the sea."
	}
	dir := files(t, map[string]string{
		"notes/c1/s1.md":  "---\ntitle: One\n---\n\n# Monday\n\n- [D1:1] Ada: We decided to take the ferry to Naxos at dawn.\n- [D1:2] Eve: Fine.\n",
		"notes/c1/s2.md":  "# Tuesday\n\n- [D2:1] Ada: The ferry is late today, since the sea is rough near Naxos.\n",
		"notes/c1/s3.md":  "# Wednesday\n\n- [D3:1] Ada: Guitars need strings, and strings need a good shop in town that is open on Sundays.\n- [D3:2] Eve: I walked along the empty beach with nobody around me at all." + walk + "\n",
		"notes/c1/s4.md":  "# Alone\n\n- [D4:1] Ada: Left over.\n",
		"questions.jsonl": `{"question":"When does the ferry leave?","conversation":"c1","evidence_sessions":["s1","s2"],"evidence_ids":["D1:1","D2:1"],"category":4}`,
	})
	s, err := load(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	got, err := sumUp(t.Context(), t.TempDir(), s)
	if err != nil {
		t.Fatal(err)
	}
	if got.n != 1 || got.facts.turns != 2 || got.facts.percent() < 99 || got.others.turns != 3 || got.others.percent() > 90 || got.text == 0 || got.text >= got.source || got.before < 1 || got.after < 1 {
		t.Errorf("%+v", got)
	}
	s.queries[0].turns = nil
	if _, err := sumUp(t.Context(), t.TempDir(), s); err == nil || !strings.Contains(err.Error(), "no question names the turns") {
		t.Errorf("a set without evidence: %v", err)
	}
}

func TestCovered(t *testing.T) {
	t.Parallel()
	const text = "[D1:1] Ada: One. Two. Three."
	for _, tc := range []struct {
		sentences []string
		want      int
	}{
		{nil, 0}, {[]string{"Two."}, 5}, {[]string{"Two.", "Two."}, 5}, {[]string{"Four."}, 0},
		{[]string{"[D1:1] Ada: One.", "Three.", "Two."}, len(text)},
	} {
		if got := covered(text, tc.sentences); got != tc.want {
			t.Errorf("%q: %d bytes, want %d", tc.sentences, got, tc.want)
		}
	}
}
