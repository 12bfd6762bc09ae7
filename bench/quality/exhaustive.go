package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

// exhausted is what exhaustive searches of a set return.
type exhausted struct {
	set     string
	queries int
	share   float64 // of the judged notes of a query, mean over queries
	err     float64 // standard error of share
	all     float64 // share of queries with all of them
	pages   float64 // mean number of pages in an answer
	notes   int
}

// measureExhaustive measures which share of the judged notes is in exhaustive answers.
func measureExhaustive(ctx context.Context, dir string, s *set, progress io.Writer) (out exhausted, err error) {
	s.queries = slices.DeleteFunc(s.queries, func(q judged) bool { return q.category == adversarialCategory })
	m, err := remember(ctx, dir, s)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if err := use(ctx, m, "", progress); err != nil {
		return out, err
	}
	out = exhausted{set: s.name, queries: len(s.queries), notes: len(s.notes)}
	n := float64(len(s.queries))
	var shares []float64
	for _, q := range s.queries {
		r, err := read.Search(ctx, m, retrieve.SearchRequest{Query: q.text, Mode: api.ModeHybrid, Exhaustive: true, Limit: len(s.notes)})
		if err != nil {
			return out, fmt.Errorf("%s: %q: %w", s.name, q.text, err)
		}
		found := 0
		for _, h := range r.Items {
			if q.want[h.Path] > 0 {
				found++
			}
		}
		want := 0
		for _, gain := range q.want {
			if gain > 0 {
				want++
			}
		}
		if found == want {
			out.all += 1 / n
		}
		shares = append(shares, float64(found)/float64(max(want, 1)))
		out.pages += float64(len(r.Items)) / n
	}
	out.share, out.err = meanAndError(shares)
	return out, nil
}

// exhaustiveTable prints results as a Markdown table.
func exhaustiveTable(out io.Writer, results []exhausted) error {
	var b strings.Builder
	b.WriteString("| set | notes | n | judged notes found | all | pages of an answer |\n|---|---|---|---|---|---|\n")
	for _, r := range results {
		fmt.Fprintf(&b, "| %s | %d | %d | %.3f ± %.3f | %.3f | %.1f |\n", r.set, r.notes, r.queries, r.share, r.err, r.all, r.pages)
	}
	_, err := io.WriteString(out, b.String())
	return err
}
