package lifecycle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
)

// facts reads "source predicate object interval", one a line, of one page; the object
// is a page where it is a number.
func facts(text string) (out []lifecycle.Fact) {
	for i, line := range strings.Split(text, "\n") {
		f := append(strings.Fields(line), "")
		x := lifecycle.Fact{Page: 1, Subject: 1, Source: lifecycle.Source(f[0]), Predicate: f[1], Line: i + 1}
		x.Object.Name = f[2]
		x.Number = int64(i)
		_, _ = fmt.Sscan(f[2], &x.Object.Page)
		x.From, x.Until, _ = strings.Cut(f[3], "..")
		out = append(out, x)
	}
	return out
}

func TestSettle(t *testing.T) {
	t.Parallel()
	rules := lifecycle.Rules{
		Single: map[string]bool{"works at": true, "lives in": true}, Lasting: map[string]bool{"works at": true}, Today: "2026-11-23",
	}
	for name, tc := range map[string]struct {
		text  string
		b     bool // kept
		until string
		want  string // "line interval" of each change, or an error's code
	}{
		"ends where the other begins":   {text: "relation works_at 2 2017..\nrelation works_at 3 2020-05..", b: true, want: "1 2017..2020-05"},
		"the earlier one is kept":       {text: "relation works_at 2 2017..\nrelation works_at 3 2020-05..", want: "2 2020-05..2026-11-23"},
		"a day is given":                {text: "relation works_at 2 2017..\nrelation works_at 3 2020-05..", until: "2021", want: "2 2020-05..2021"},
		"a day that has not come":       {text: "relation works_at 2 2017..\nrelation works_at 3 2020-05..", until: "2027", want: "usage"},
		"without dates":                 {text: "relation works_at 2\nrelation works_at 3", want: "2 ..2026-11-23"},
		"in the same year":              {text: "relation works_at 2 2020..\nrelation works_at 3 2020-05..", b: true, want: "1 2020..2026-11-23"},
		"an end that has not come":      {text: "relation works_at 2 2017..2099\nrelation works_at 3 2020..", b: true, want: "1 2017..2020"},
		"said twice":                    {text: "property works_at 2\nrelation Works-At 2 2017..\nrelation works_at 3 2020..", b: true, want: "1 ..2020, 2 2017..2020"},
		"others stay":                   {text: "relation works_at 2 2017..\nrelation works_at 3 2020..\nrelation works_at 2 2001..2003\nrelation lives_in 2 2001..", b: true, want: "1 2017..2020"},
		"the text gives the day":        {text: "relation works_at 2 2017..\ntext x 2 ..2025-03", b: true, want: "1 2017..2025-03"},
		"the text gives none":           {text: "relation works_at 2 2017..\ntext x 2", b: true, want: "1 2017..2026-11-23"},
		"the text is not kept":          {text: "relation works_at 2 2017..\ntext x 2 ..2025-03", want: "usage"},
		"back after the text":           {text: "relation works_at 2 2017..\nproperty works_at 2 2026\ntext x 2 ..2025-03", b: true, want: "1 2017..2025-03"},
		"asserted against what ended":   {text: "assertion works_at 2 2010..\nrelation works_at 2 2010..2015", b: true, want: "1 2010..2015"},
		"asserted twice":                {text: "assertion works_at 2\nrelation works_at 2 2010..2015\nassertion works_at 2 ..2099", b: true, want: "1 ..2015, 3 ..2015"},
		"an end is not ended":           {text: "assertion works_at 2 2010..\nrelation works_at 2 2010..2015", want: "usage"},
		"asserted against a relation":   {text: "assertion works_at 2 2010..\nrelation works_at 3 2017..", b: true, want: "1 2010..2017"},
		"said and asserted":             {text: "relation works_at 2 2012..\nassertion works_at 2 2010..\nrelation works_at 3 2017..", b: true, want: "1 2012..2017, 2 2010..2017"},
		"asserted against the text":     {text: "assertion works_at 2 2010..\ntext x 2 ..2025-03", b: true, want: "1 2010..2025-03"},
		"evidence, the page is kept":    {text: "assertion works_at 2 2010..\nassertion works_at 2 2012..\ntruth x 1", b: true, want: "1 2010..2026-11-23"},
		"evidence, a day is given":      {text: "assertion works_at 2 2010..\ntruth x 1", b: true, until: "2015", want: "1 2010..2015"},
		"evidence, the page is not":     {text: "assertion works_at 2 2010..\ntruth x 1", want: "usage"},
		"conflict, both hold":           {text: "relation contradicts 2 2010..\ntruth x 1", b: true, want: "1 2010..2026-11-23"},
		"conflict, a day is given":      {text: "relation contradicts 2\ntruth x 1", b: true, until: "2015", want: "1 ..2015"},
		"conflict, a day not come":      {text: "relation contradicts 2\ntruth x 1", b: true, until: "2027", want: "usage"},
		"conflict, the one is kept":     {text: "relation contradicts 2\ntruth x 1", want: "usage"},
		"overlap, the first ends":       {text: "relation knows 2 2010..2015\nrelation knows 2 2012..2018", b: true, want: "1 2010..2012"},
		"overlap, the second begins":    {text: "relation knows 2 2010..2015\nrelation knows 2 2012..2018", want: "2 2015..2018"},
		"overlap, nothing is left":      {text: "relation knows 2 2010..\nrelation knows 2 2012..2018", want: "2 gone"},
		"overlap, around it":            {text: "relation knows 2 2010..\nrelation knows 2 2012..2018", b: true, want: "1 2010..2012"},
		"overlap, a start nobody knows": {text: "relation knows 2 ..2015\nrelation knows 2 2012..2018", want: "2 2015..2018"},
		"overlap, a day is given":       {text: "relation knows 2 2010..2015\nrelation knows 2 2012..2018", until: "2013", want: "2 2012..2013"},
	} {
		t.Run(name, func(t *testing.T) {
			all := facts(tc.text)
			found := rules.Contradictions(all)
			if strings.HasPrefix(name, "overlap") {
				found = []lifecycle.Finding{{Kind: lifecycle.Overlapping, A: all[0], B: all[1]}}
			}
			if last := all[len(all)-1]; last.Source == lifecycle.Truth {
				found = []lifecycle.Finding{{Kind: lifecycle.Unproved, A: all[0], B: last}}
				if strings.HasPrefix(name, "conflict") {
					found[0].Kind = lifecycle.Stated
				}
			}
			if strings.HasPrefix(name, "asserted twice") {
				found = found[:1] // each of the two is against it
			}
			if len(found) != 1 {
				t.Fatalf("found %+v", found)
			}
			changes, err := rules.Settle(found[0], tc.b, tc.until, all)
			var got []string
			for _, c := range changes {
				is := c.Is.String()
				if c.Gone {
					is = "gone"
				}
				got = append(got, fmt.Sprint(c.Line, " ", is))
			}
			if err != nil {
				got = []string{string(kb.CodeOf(err))}
			}
			if got := strings.Join(got, ", "); got != tc.want {
				t.Errorf("settled by %q, want %q (%v)", got, tc.want, err)
			}
		})
	}
	if _, err := rules.Settle(lifecycle.Finding{Kind: lifecycle.Stale}, true, "", nil); kb.CodeOf(err) != kb.Usage {
		t.Errorf("a stale truth was settled: %v", err)
	}
	if _, err := rules.Settle(lifecycle.Finding{Kind: "of another sort"}, true, "", nil); kb.CodeOf(err) != kb.Usage {
		t.Errorf("a finding of an unknown sort was settled: %v", err)
	}
}

// What remains of two relations that overlapped does not overlap.
func TestSettledRelationsDoNotOverlap(t *testing.T) {
	t.Parallel()
	dates := []string{"", "2010", "2010-06", "2012", "2012-02-03", "2015", "2018"}
	var all []kb.Interval
	for _, from := range dates {
		for _, until := range dates {
			all = append(all, kb.Interval{From: from, Until: until})
		}
	}
	settled := 0
	for _, a := range all {
		for _, b := range all {
			if !a.InOrder() || !b.InOrder() || !a.Overlaps(b) {
				continue
			}
			x := lifecycle.Finding{Kind: lifecycle.Overlapping, A: lifecycle.Fact{Interval: a}, B: lifecycle.Fact{Interval: b}}
			changes, err := lifecycle.Rules{}.Settle(x, true, "", nil)
			if err != nil || len(changes) != 1 {
				t.Fatal(err)
			}
			if c := changes[0]; !c.Gone && (c.Is.Overlaps(b) || !c.Is.InOrder()) {
				t.Errorf("%s beside %s became %s", a, b, c.Is)
			}
			settled++
		}
	}
	if settled < 100 {
		t.Fatalf("only %d pairs overlap", settled)
	}
}
