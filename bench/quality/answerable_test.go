package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

func TestWithout(t *testing.T) {
	t.Parallel()
	many, glob := gains{}, "{"
	for i := range 21 {
		many[fmt.Sprintf("%02d.md", i)] = 1
		glob += fmt.Sprintf("%02d,", i)
	}
	for want, notes := range map[string]gains{
		`-path:"a/b.md"`: {"a/b.md": 1},
		`-path:"1.md" -path:"2.md" -path:"30.md"`:           {"30.md": 1, "1.md": 2, "2.md": 1},
		`-path:"` + strings.TrimSuffix(glob, ",") + `}.md"`: many,
	} {
		if got := strings.Join(without(notes), " "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for want, notes := range map[string]gains{
		"c1": {"c1/a.md": 1, "c1/b.md": 1},
		".":  {"c1/a.md": 1, "c2/b.md": 1},
	} {
		if got := folderOf(notes); got != want {
			t.Errorf("the folder of %v is %q", notes, got)
		}
	}
}

// Every case of two sets is asked with words alone, and what answers is left out.
func TestMeasureAnswerable(t *testing.T) {
	t.Parallel()
	dir := files(t, map[string]string{
		"notes/c1/s1.md": "# Monday\n\nThe ferry to Naxos leaves at dawn.\n",
		"notes/c1/s2.md": "# Tuesday\n\nAn empty day.\n",
		"notes/c2/s1.md": "# Wednesday\n\nGuitars need strings.\n",
		"questions.jsonl": `{"question":"When does the ferry to Naxos leave?","conversation":"c1","evidence_sessions":["s1"],"category":4}
{"question":"When does the guitar leave?","conversation":"c1","evidence_sessions":["s1"],"category":5}`,
	})
	one, err := load(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	other := &set{
		name: "other", notes: []note{{"9.md", []byte("Shock waves form at the leading edge.\n")}},
		queries: []judged{{text: "where do shock waves form", want: gains{"9.md": 1}}},
	}
	sets := []*set{one, other}
	list, err := askAll(t.Context(), t.TempDir(), one, sets, evidences[2], io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]float64{}
	for _, a := range list {
		by[a.kind] = a.confidence
	}
	if len(list) != 5 || by[present] < 0.5 || by[removed] > 0.2 || by[absent] > 0.2 || by[elsewhere] > 0.2 || by[adversarial] == 0 {
		t.Errorf("%+v", list)
	}
	there, err := askAll(t.Context(), filepath.Join(t.TempDir(), "words"), other, sets, evidences[2], io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	text := report("words alone", sets, [][]askedOnce{list, there})
	for _, want := range []string{"| small | removed | 1 | 1.000 | 1.000 |", "| other | elsewhere | 2 |", "| small | present | 1 | | | | 0.0 % |"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
