package query

import (
	"fmt"
	"strings"
	"testing"
)

// words counts the words in a query, also those of compounds and phrases.
func words(n Node) int {
	switch n := n.(type) {
	case *Word:
		_, count := firstWords(n.Text, 1<<20)
		return count
	case *Phrase:
		_, count := firstWords(n.Text, 1<<20)
		return count
	case *Not:
		return words(n.Node)
	case *And:
		return wordsOf(n.Nodes)
	case *Or:
		return wordsOf(n.Nodes)
	}
	return 0
}

func wordsOf(nodes []Node) (sum int) {
	for _, n := range nodes {
		sum += words(n)
	}
	return sum
}

// However words are joined, a query has so many of them at most, and says so.
func TestWordsAreBounded(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"hyphens":     strings.Repeat("a-", 20_000),
		"underscores": strings.Repeat("a_", 20_000),
		"dots":        strings.Repeat("the.", 10_000),
		"a phrase":    `"` + strings.Repeat("the ", 10_000) + `"`,
		"compounds":   strings.Repeat(strings.Repeat("x/", 20)+" ", 500),
		"Chinese":     strings.Repeat("的", 10_000),
		"a title":     `title:"` + strings.Repeat("a ", 10_000) + `"`,
		"exclusions":  strings.Repeat("-a.b ", 5_000),
	} {
		q := Parse(text, testNow)
		if n := words(q.Root); n > maxWords || n < maxWords/3 {
			t.Errorf("%s: %d words", name, n)
		}
		if len(q.Notes) != 1 || !strings.Contains(q.Notes[0], "very long") {
			t.Errorf("%s: notes %q", name, q.Notes)
		}
	}
	if q := Parse("one-two.three 的的", testNow); words(q.Root) != 5 || len(q.Notes) != 0 {
		t.Errorf("%d words, notes %q", words(q.Root), q.Notes)
	}
}

func filtersOf(n Node) (all []*Filter) {
	switch n := n.(type) {
	case *Filter:
		return []*Filter{n}
	case *And:
		for _, c := range n.Nodes {
			all = append(all, filtersOf(c)...)
		}
	case *Or:
		for _, c := range n.Nodes {
			all = append(all, filtersOf(c)...)
		}
	}
	return all
}

// Filters beyond the bound are met by no page: an exclusion that was left out
// would show what it shuts out.
func TestFiltersAreBounded(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 60 {
		many = append(many, fmt.Sprintf("-tag:t%d", i))
	}
	q := Parse(strings.Join(many, " "), testNow)
	never := 0
	for _, f := range q.Filters {
		if f.Never {
			never++
		}
	}
	if len(q.Filters) != 60 || never != 60-maxFilters || len(q.Notes) != 1 {
		t.Errorf("%d of %d filters are never met, notes %q", never, len(q.Filters), q.Notes)
	}
	// Equal ones are one.
	for _, f := range filtersOf(Parse(strings.Repeat("tag:x OR ", 100)+"tag:y", testNow).Root) {
		if f.Never {
			t.Fatalf("%s is never met", f)
		}
	}
	if q := Parse(strings.Repeat("path:a path:b* ", 100)+"word", testNow); len(q.Filters) != 2 || len(q.Notes) != 0 {
		t.Errorf("%d filters of two, notes %q", len(q.Filters), q.Notes)
	}
	// Patterns are bounded together.
	q = Parse("path:a*"+strings.Repeat("b", maxGlobs)+" x", testNow)
	if !q.Filters[0].Never || len(q.Notes) != 1 {
		t.Errorf("a long pattern: %v, notes %q", q.Filters, q.Notes)
	}
	half := strings.Repeat("b", maxGlobs/2)
	if q = Parse("path:a*"+half+" path:b*"+half, testNow); q.Filters[0].Never || !q.Filters[1].Never {
		t.Errorf("two patterns: %v", q.Filters)
	}
}

// What cannot be read as a pattern is a path as it stands.
func TestPathsThatAreNoPatterns(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"[", "{", "[a", "{a,b", "a}*", "[]", `x[\`} {
		q := Parse("path:"+value, testNow)
		if IsGlob(value) || len(q.Filters) != 1 || q.Filters[0].Value != value || q.Filters[0].Never || len(q.Notes) != 1 {
			t.Errorf("%s: %+v", value, q)
		}
	}
	for _, value := range []string{"*", "a?", "[a]", "{a,b}/c"} {
		if q := Parse("path:"+value, testNow); !IsGlob(value) || len(q.Notes) != 0 {
			t.Errorf("%s: %+v", value, q)
		}
	}
	if IsGlob("plain/path.md") {
		t.Error("a path is a pattern")
	}
}
