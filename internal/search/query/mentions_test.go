package query

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMentions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ input, want string }{
		{"", ""},
		{"who", ""},
		{"who knows Jensen Huang?", "knows Jensen Huang|knows Jensen|Jensen Huang|*Jensen|*Huang"},
		{"what's our thesis on river AI", "thesis on river AI|thesis on river|river AI|*AI"},
		{"Training of dogs", "Training of dogs"},
		{"Did Caroline’s (and Melanie's) sons go?", "Caroline and Melanie sons|Caroline and Melanie|Melanie sons go|Melanie sons|sons go|*Caroline|*Melanie"},
		{`about "Ada Lovelace" -Babbage title:Ada Byr*`, "Ada Lovelace|*Ada|*Lovelace"},
		{"the İstanbul 東京 -- office", "İstanbul 東京 office|İstanbul 東京|東京 office|*İstanbul"},
	} {
		var got []string
		for _, m := range Mentions(Parse(c.input, testNow).Root) {
			text := m.Text
			if m.Proper {
				text = "*" + text
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "|")); diff != "" {
			t.Errorf("%q: %s", c.input, diff)
		}
	}
	if n := len(Mentions(Parse(strings.Repeat("Word ", 500), testNow).Root)); n > nameWords*questionWords {
		t.Errorf("a long text has %d mentions", n)
	}
}

func TestMentionsOverlap(t *testing.T) {
	t.Parallel()
	all := Mentions(Parse("about Ada Byron King", testNow).Root)
	at := map[string]Mention{}
	for _, m := range all {
		at[m.Text] = m
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"Ada Byron", "Byron King", true},
		{"Ada Byron King", "Byron", true},
		{"Ada Byron", "King", false},
		{"Ada", "Ada", true},
	} {
		a, b := at[c.a], at[c.b]
		if a.Overlaps(b) != c.want || b.Overlaps(a) != c.want {
			t.Errorf("%q, %q: %v", c.a, c.b, !c.want)
		}
	}
}

func TestAsks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ input, want string }{
		{"", ""},
		{"who runs sales", "person run sale"},
		{"Which decisions of companies, where?", "decision company place"},
		{"whose people -meetings type:note bus* glass", "person glass"},
	} {
		if got := strings.Join(Asks(Parse(c.input, testNow).Root), " "); got != c.want {
			t.Errorf("%q asks for %q, want %q", c.input, got, c.want)
		}
	}
}
