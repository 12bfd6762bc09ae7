package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// What finds less than is committed by more than the tolerance fails, and so does what was
// compared with nothing.
func TestRegressed(t *testing.T) {
	t.Parallel()
	var all []result
	if err := json.Unmarshal(committed, &all); err != nil || len(all) < 20 {
		t.Fatalf("%d numbers are committed: %v", len(all), err)
	}
	if err := regressed(all, committed); err != nil {
		t.Errorf("the committed numbers themselves: %v", err)
	}
	near, far, other := all[0], all[1], all[2]
	near.NDCG10 *= 0.985
	far.MRR *= 0.97
	other.Queries--
	err := regressed([]result{near, far, other}, committed)
	if err == nil {
		t.Fatal("nothing regressed")
	}
	if text := err.Error(); strings.Count(text, "\n") != 1 || !strings.Contains(text, ": MRR is ") || !strings.Contains(text, "no numbers are committed") {
		t.Error(text)
	}
}

// Answers with less of the evidence fail, and so does a measurement that nothing was committed for.
func TestLessEvidence(t *testing.T) {
	t.Parallel()
	var all []served
	if err := json.Unmarshal(committedEvidence, &all); err != nil || len(all) < 20 {
		t.Fatalf("%d numbers are committed: %v", len(all), err)
	}
	if err := lessEvidence(all, committedEvidence); err != nil {
		t.Errorf("the committed numbers themselves: %v", err)
	}
	near, far, other := all[0], all[1], all[2]
	near.Share *= 0.98
	far.Share *= 0.95
	other.Queries--
	err := lessEvidence([]served{near, far, other}, committedEvidence)
	if err == nil {
		t.Fatal("nothing is less")
	}
	if text := err.Error(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "evidence served is") || !strings.Contains(text, "no evidence is committed") {
		t.Error(text)
	}
}
