package query

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestContent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ input, want string }{
		{"", ""},
		{"What is the effect of aspirin?", "effect aspirin"},
		{"high-speed and/or the low-speed wing", "high speed low speed wing"},
		{"on 2026-03-01, Ada's notes", "2026-03-01 Ada notes"},
		{`the "whole file" (rust OR go) -draft title:log temp* tag:x`, "whole file rust go"},
		{"東京 office — 東京", "東京 office 東京"},
	} {
		got := strings.Join(Content(Parse(c.input, testNow).Root), " ")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.input, diff)
		}
	}
	if n := len(Content(Parse(strings.Repeat("word ", 500), testNow).Root)); n > questionWords {
		t.Errorf("a long text has %d words", n)
	}
}
