package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// Every text that is marked as evidence is in a note that answers its question.
func TestMarkedEvidenceIsInItsNotes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"reference", "meetings"} {
		s, err := load(filepath.Join("testdata", name), false)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range s.queries {
			if len(q.evidence) == 0 {
				t.Errorf("%s: %q has no evidence", name, q.text)
			}
			for _, e := range q.evidence {
				found := false
				for _, n := range s.notes {
					found = found || q.want[n.path] > 0 && strings.Contains(string(n.text), e)
				}
				if !found {
					t.Errorf("%s: %q: no note of it has %q", name, q.text, e)
				}
			}
		}
	}
}

func TestTurnsAreEvidence(t *testing.T) {
	t.Parallel()
	s, err := load(files(t, map[string]string{
		"notes/talk/1.md": "# Talk\n\n- [D1:1] Ann: Hello, *you*!\n  More.\n- [D1:2] Bo: Good evening.\n",
		"questions.jsonl": `{"question": "Who greets?", "conversation": "talk", "evidence_sessions": ["1"], "evidence_ids": ["D1:1", "D9:9"]}`,
	}), false)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.queries[0].evidence; len(got) != 1 || got[0] != "Ann: Hello, *you*!" {
		t.Errorf("%q", got)
	}
	if got := lettersOf(s.queries[0].evidence[0]); got != "annhelloyou" {
		t.Error(got)
	}
}

// An answer without its last items costs what the rest costs.
func TestTokensOfAnAnswer(t *testing.T) {
	t.Parallel()
	sent := `{"items":[{"ref":"a","text":"one two"},{"ref":"b","text":"three"}]}`
	a := answer{bytes: len(sent)}
	var parts struct{ Items []json.RawMessage }
	if err := json.Unmarshal([]byte(sent), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(sent), &parts); err != nil {
		t.Fatal(err)
	}
	for _, p := range parts.Items {
		a.parts = append(a.parts, len(p))
	}
	around := len(sent) - len("one two") - len("three")
	if got, want := a.tokens(2), 3+(around+3)/4; got != want {
		t.Errorf("%d tokens, want %d", got, want)
	}
	if got, want := a.tokens(1), 2+(len(sent)-len(parts.Items[1])-len("one two")+3)/4; got != want {
		t.Errorf("%d tokens of the first, want %d", got, want)
	}
}

func TestMeanAndError(t *testing.T) {
	t.Parallel()
	if mean, err := meanAndError([]float64{0, 1, 1, 0}); mean != .5 || math.Abs(err-math.Sqrt(1.0/3/4)) > 1e-9 {
		t.Error(mean, err)
	}
}
