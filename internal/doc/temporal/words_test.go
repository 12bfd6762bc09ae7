package temporal

import (
	"regexp/syntax"
	"slices"
	"testing"
)

func TestWordsOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		expression string
		want       []string
	}{
		{`^(?:has )?[Ll]eft ` + object, []string{"eft " + mark}},
		{`[Ll]eft|[Qq]uit`, []string{"eft", "uit"}},
		{`(?:for|with) long (?:words)?`, []string{" long "}},
		{`a{0,2}bc`, []string{"bc"}},
		{`(?:abc)+`, []string{"abc"}},
		{`(?:abc|\d)`, nil},
		{`(?:abc)?`, nil},
		{`(?i:abc)`, nil},
		{` ` + object, nil},
	} {
		re, err := syntax.Parse(c.expression, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		if got := wordsOf(re); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, not %q", c.expression, got, c.want)
		}
	}
	known := 0
	for _, f := range compiled().forms {
		if f.words != nil {
			known++
		}
	}
	if n := len(compiled().forms); known < n-2 {
		t.Errorf("words are known of %d forms of %d", known, n)
	}
}
