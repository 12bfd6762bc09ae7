package doc

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// Anchors are those that an expression over each line finds.
func TestAnchorsAsAnExpressionFindsThem(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	parts := []string{"id=", "Name=", "ID=", "\"", "'", "{", "}", "#", ">", " ", "\n", "\r\n", "\t", "a", "A", "é", "É", "K", "a b", "x"}
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		return b.String()
	}
	found := 0
	for range 20_000 {
		d := &Document{Format: Markdown, Text: []byte(text(12))}
		n := Node{Span: Span{End: len(d.Text)}}
		name := strings.NewReplacer("\n", "", "\r", "").Replace(text(1 + r.IntN(2)))
		quoted := regexp.QuoteMeta(strings.ToLower(name))
		search := regexp.MustCompile(`(?:id|name)=["']?` + quoted + `["'\s>]|\{[^}]*#` + quoted + `[\s}]`)
		want := false
		for line := range strings.Lines(strings.ToLower(string(d.Text))) {
			want = want || search.MatchString(strings.TrimRight(line, "\r\n"))
		}
		if got := d.hasAnchor(&n, name); got != want {
			t.Fatalf("%q in %q: %v", name, d.Text, got)
		}
		if want {
			found++
		}
	}
	if found < 100 {
		t.Errorf("only %d texts have the anchor", found)
	}
}
