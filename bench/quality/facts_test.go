package main

import "testing"

// leastKept is the share of facts that summaries must keep, in percent.
const leastKept = 95

func TestSummariesKeepFacts(t *testing.T) {
	t.Parallel()
	clusters, err := readFacts(factsText)
	if err != nil {
		t.Fatal(err)
	}
	r, err := measureFacts(t.Context(), t.TempDir(), clusters)
	if err != nil {
		t.Fatal(err)
	}
	if r.clusters < 10 || r.facts < 80 || r.percent() < leastKept {
		t.Errorf("%d summaries keep %.1f %% of %d facts, want %d %%: lost %q", r.clusters, r.percent(), r.facts, leastKept, r.lost)
	}
}

func TestReadFacts(t *testing.T) {
	t.Parallel()
	if _, err := readFacts("## c\n# p\nSomething.\n= nothing\n"); err == nil {
		t.Error("a fact that its page does not say is taken")
	}
}
