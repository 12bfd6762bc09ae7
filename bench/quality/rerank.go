package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

// rerankVar sets the reranker of answers.
const rerankVar = "CAIRN_RERANK"

// compared is a number of answers as they are and reranked, for each question.
type compared struct {
	Set, What   string
	off, ranked []float64
}

// measureReranked compares answers with those whose passages are reranked: the order of their
// pages, and where evidence is marked, its share.
func measureReranked(ctx context.Context, dir string, s *set, setting string, progress io.Writer) (out []compared, err error) {
	m, err := remember(ctx, dir, s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.Unsetenv(rerankVar), m.Close()) }()
	if err := use(ctx, m, "", progress); err != nil {
		return nil, err
	}
	fmt.Fprintf(progress, "%s: %d queries, %s\n", s.name, len(s.queries), setting)
	off, err := judgeAnswers(ctx, m, s, "off")
	if err != nil {
		return nil, err
	}
	ranked, err := judgeAnswers(ctx, m, s, setting)
	if err != nil {
		return nil, err
	}
	for _, of := range []struct {
		what string
		get  func(scores) float64
	}{{"pages, nDCG@10", func(s scores) float64 { return s.NDCG10 }}, {"pages, R@5", func(s scores) float64 { return s.Recall5 }}, {"pages, MRR", func(s scores) float64 { return s.MRR }}} {
		c := compared{Set: s.name, What: of.what}
		for i := range off {
			c.off, c.ranked = append(c.off, of.get(off[i])), append(c.ranked, of.get(ranked[i]))
		}
		out = append(out, c)
	}
	if s.keepMarked(); len(s.queries) == 0 {
		return out, nil
	}
	for _, limit := range pageLimits {
		for _, room := range roomSizes {
			c := compared{Set: s.name, What: fmt.Sprintf("evidence, %d pages, %d tokens", limit, room)}
			for value, shares := range map[string]*[]float64{"off": &c.off, setting: &c.ranked} {
				if err := os.Setenv(rerankVar, value); err != nil {
					return nil, err
				}
				r, err := servedWithin(ctx, m, s, limit, room)
				if err != nil {
					return nil, err
				}
				*shares = r.shares
			}
			out = append(out, c)
		}
	}
	return out, nil
}

// judgeAnswers scores the order of pages in the answer of query to each question of a set.
func judgeAnswers(ctx context.Context, m *memory.Session, s *set, setting string) ([]scores, error) {
	if err := os.Setenv(rerankVar, setting); err != nil {
		return nil, err
	}
	var all []scores
	for _, q := range s.queries {
		found, err := read.Query(ctx, m, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: q.text, Limit: retrieved}})
		if err == nil && slices.ContainsFunc(found.Notes, func(n string) bool { return strings.Contains(n, "not reranked") }) {
			err = errors.New(strings.Join(found.Notes, "; "))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", s.name, q.text, err)
		}
		var paths []string
		for _, item := range found.Items {
			paths = append(paths, item.Path)
		}
		all = append(all, judge(paths, q.want))
	}
	return all, nil
}

// rerankTable prints comparisons with the standard error of their difference.
func rerankTable(out io.Writer, all []compared) error {
	fmt.Fprint(out, "| set | n | measure | off | reranked | difference |\n|---|---|---|---|---|---|\n")
	for _, c := range all {
		difference := make([]float64, len(c.off))
		for i := range c.off {
			difference[i] = c.ranked[i] - c.off[i]
		}
		off, _ := meanAndError(c.off)
		ranked, _ := meanAndError(c.ranked)
		d, e := meanAndError(difference)
		if _, err := fmt.Fprintf(out, "| %s | %d | %s | %.3f | %.3f | %+.3f ± %.3f |\n", c.Set, len(c.off), c.What, off, ranked, d, e); err != nil {
			return err
		}
	}
	return nil
}
