package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/compact"
	"github.com/cairn-kb/cairn/internal/memory"
)

//go:embed facts.txt
var factsText string

// factCluster is pages that one summary stands for, with the facts on them.
type factCluster struct {
	name  string
	pages []note
	facts []string
}

// readFacts reads clusters. A fact must be in the page above it.
func readFacts(text string) (out []factCluster, err error) {
	for line := range strings.Lines(text) {
		var c *factCluster
		if len(out) > 0 {
			c = &out[len(out)-1]
		}
		fresh := c != nil && len(c.pages) > 0 && len(c.pages[len(c.pages)-1].text) == 0
		name, cluster := strings.CutPrefix(line, "## ")
		page, isPage := strings.CutPrefix(line, "# ")
		fact, isFact := strings.CutPrefix(line, "= ")
		switch {
		case cluster && !fresh:
			out = append(out, factCluster{name: strings.TrimSpace(name)})
		case c == nil: // what the file is
		case isPage:
			c.pages = append(c.pages, note{path: c.name + "/" + strings.TrimSpace(page) + ".md"})
		case len(c.pages) == 0:
		case isFact:
			fact = strings.TrimSpace(fact)
			if !strings.Contains(string(c.pages[len(c.pages)-1].text), fact) {
				return nil, fmt.Errorf("%s does not say %q", c.pages[len(c.pages)-1].path, fact)
			}
			c.facts = append(c.facts, fact)
		default:
			p := &c.pages[len(c.pages)-1]
			p.text = append(p.text, line...)
		}
	}
	return out, nil
}

// keptFacts is what the summaries of clusters keep, made without a plan or a provider.
type keptFacts struct {
	clusters, pages, facts int
	text, source           int // bytes
	lost                   []string
}

func (k keptFacts) percent() float64 {
	return 100 * float64(k.facts-len(k.lost)) / float64(max(k.facts, 1))
}

// measureFacts has the pages of each cluster summed up, and looks for their facts in
// the summary, word for word.
func measureFacts(ctx context.Context, dir string, clusters []factCluster) (out keptFacts, err error) {
	dir = filepath.Join(dir, "facts")
	a, err := summarySpace(ctx, dir)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, a.Close(), os.RemoveAll(dir)) }()
	for _, c := range clusters {
		if err := out.add(ctx, a, c); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (k *keptFacts) add(ctx context.Context, a *memory.Session, c factCluster) error {
	if err := putStale(ctx, a, c.pages); err != nil {
		return err
	}
	plan, err := compact.Compact(ctx, a, compact.Request{WriteOptions: api.WriteOptions{DryRun: true}})
	if err != nil {
		return err
	}
	if len(plan.Clusters) != 1 || len(plan.Clusters[0].Members) != len(c.pages) {
		return fmt.Errorf("the pages of %s are not one cluster: %+v", c.name, plan.Clusters)
	}
	summary := plan.Clusters[0].Text
	k.clusters, k.pages, k.facts, k.text = k.clusters+1, k.pages+len(c.pages), k.facts+len(c.facts), k.text+len(summary)
	for _, p := range c.pages {
		k.source += len(p.text)
	}
	for _, f := range c.facts {
		if !strings.Contains(summary, f) {
			k.lost = append(k.lost, f)
		}
	}
	_, err = compact.Compact(ctx, a, compact.Request{})
	return err
}

// reportFacts prints what the summaries of the pages in facts.txt keep.
func reportFacts(ctx context.Context, dir string, out io.Writer) error {
	clusters, err := readFacts(factsText)
	if err != nil {
		return err
	}
	r, err := measureFacts(ctx, dir, clusters)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "| summaries | pages | facts | kept | text kept |\n|---|---|---|---|---|\n| %d | %d | %d | %.1f %% | %.0f %% |\n",
		r.clusters, r.pages, r.facts, r.percent(), 100*float64(r.text)/float64(max(r.source, 1)))
	for _, f := range r.lost {
		if err == nil {
			_, err = fmt.Fprintln(out, "lost:", f)
		}
	}
	return err
}
