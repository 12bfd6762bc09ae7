package lifecycle_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
)

// relations reads "type target from..until", one a line; a target that is a number
// is a page.
func relations(text string) (out []kb.Link) {
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		f := append(strings.Fields(line), "")
		l := kb.Link{Type: f[0], Name: f[1], Line: i + 1}
		l.ValidFrom, l.ValidUntil, _ = strings.Cut(f[2], "..")
		_, _ = fmt.Sscan(f[1], &l.To)
		out = append(out, l)
	}
	return out
}

func TestOverlaps(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text     string
		repeated bool
		want     []string // lines
	}{
		"one after the other":   {text: "works_at 1 2017..2020\nworks_at 1 2020..2022\nworks_at 1 2023.."},
		"overlapping":           {text: "works_at 1 2017..2020\nworks_at 1 2018..2022", want: []string{"1 2"}},
		"another type":          {text: "works_at 1 2017..2020\nfounded 1 2018..2022"},
		"the type in two hands": {text: "works_at 1 2017..2020\nWorks-At 1 2018..2022", want: []string{"1 2"}},
		"another page":          {text: "works_at 1 2017..2020\nworks_at 2 2018..2022"},
		"nowhere, alike":        {text: "works_at Brex 2017..2020\nworks_at brex 2018..2022", want: []string{"1 2"}},
		"nowhere":               {text: "works_at Brex 2017..2020\nworks_at Acme 2018..2022"},
		"each once":             {text: "a 1 2017..\na 1 2018..\na 1 2019..", want: []string{"1 2", "1 3"}},
		"not the first":         {text: "a 1 2017..2018\na 1 2019..2021\na 1 2020..", want: []string{"2 3"}},
		"no dates":              {text: "a 1\na 1\na 1"},
		"no dates, repeated":    {text: "a 1\na 1", repeated: true, want: []string{"1 2"}},
		"one without dates":     {text: "a 1\na 1 2017..\na 1 2010..2012", want: []string{"1 2"}},
		"dates, then without":   {text: "a 1 2010..2012\na 1 2017..\na 1", want: []string{"2 3"}},
		"reversed":              {text: "a 1 2030..2022\na 1 2018..2040"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, o := range lifecycle.Overlaps(relations(tc.text), tc.repeated) {
				got = append(got, fmt.Sprint(o.First.Line, o.Second.Line))
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("overlap %q, want %q", got, tc.want)
			}
		})
	}
}

func TestReversed(t *testing.T) {
	t.Parallel()
	got := lifecycle.Reversed(relations("a 1 2030..2022\na 1 2018..2040\na 1\na 1 2020-05..2020"))
	if len(got) != 1 || got[0].Line != 1 {
		t.Errorf("reversed: %+v", got)
	}
}

// A page may hold any number of relations.
func TestOverlapsOfManyEnd(t *testing.T) {
	t.Parallel()
	var many []kb.Link
	day := time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC)
	for range 100_000 {
		next := day.AddDate(0, 0, 1)
		many = append(many, kb.Link{Type: "a", To: 1, ValidFrom: day.Format(time.DateOnly), ValidUntil: next.Format(time.DateOnly)})
		day = next
	}
	if got := lifecycle.Overlaps(many, false); len(got) != 0 {
		t.Errorf("%d overlap", len(got))
	}
}
