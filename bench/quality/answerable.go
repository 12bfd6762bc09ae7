package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/search/rank"
)

// The cases in which a question is asked.
const (
	present     = "present"     // the notes that answer it are there
	removed     = "removed"     // they are left out of the search, and nothing else
	absent      = "absent"      // so is the rest of their folder: a conversation
	elsewhere   = "elsewhere"   // it is a question of another set
	adversarial = "adversarial" // it asks of one person what another said
	missing     = "missing"     // the page on its subject is there, and does not answer it
	foreign     = "foreign"     // nothing in the notes has to do with it
)

// adversarialCategory is what LoCoMo calls that.
const adversarialCategory = 5

// others is how many questions of each other set are asked.
const others = 120

// gapBelow is the gap_threshold of the preset memory.
const gapBelow = 0.25

// askedOnce is a question in one case, with what was answered.
type askedOnce struct {
	kind       string
	score      float64 // of the best page
	confidence float64
	x          []float64 // what confidence is reckoned from
}

// evidence is a way to answer, with what its confidence is reckoned from.
type evidence struct {
	name  string
	dir   string // for its memories, which are embedded or not
	embed bool
	mode  api.Mode
	of    func(api.Fit) []float64
}

// evidences are the ways to answer, each with a regression of its own.
var evidences = []evidence{
	{"words and meaning", "", true, api.ModeHybrid, func(f api.Fit) []float64 { return []float64{f.Coverage, f.WordsAhead, f.Similarity} }},
	{"meaning alone", "", true, api.ModeVector, func(f api.Fit) []float64 { return []float64{f.Similarity, f.NearAhead} }},
	{"words alone", "words", false, api.ModeHybrid, func(f api.Fit) []float64 { return []float64{f.Coverage, f.WordsAhead} }},
}

// measureAnswerable reports how well confidence tells the questions that a memory can
// answer from those that it cannot, as it is and as it would be if it were fitted on
// the other sets alone.
func measureAnswerable(ctx context.Context, dir string, sets []*set, out, progress io.Writer) error {
	for _, e := range evidences {
		var all [][]askedOnce
		for _, s := range sets {
			list, err := askAll(ctx, filepath.Join(dir, e.dir), s, sets, e, progress)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			all = append(all, list)
		}
		if _, err := io.WriteString(out, report(e.name, sets, all)); err != nil {
			return err
		}
	}
	return nil
}

// askAll asks the questions of a set in every case that there is of them.
func askAll(ctx context.Context, dir string, s *set, sets []*set, e evidence, progress io.Writer) (list []askedOnce, err error) {
	m, err := remember(ctx, dir, s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if e.embed {
		if err := use(ctx, m, "", progress); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(progress, "%s: %d questions, %s\n", s.name, len(s.queries), e.name)
	add := func(kind, text string, without ...string) error {
		a, err := askOnce(ctx, m, e, text, without...)
		a.kind = kind
		list = append(list, a)
		return err
	}
	for _, q := range s.queries {
		if q.category == adversarialCategory {
			if err := add(adversarial, q.text); err != nil {
				return nil, err
			}
			continue
		}
		if err := errors.Join(add(present, q.text), add(removed, q.text, without(q.want)...)); err != nil {
			return nil, err
		}
		if folder := folderOf(q.want); folder != "." {
			if err := add(absent, q.text, "-path:"+folder); err != nil {
				return nil, err
			}
		}
	}
	for _, q := range s.unanswered {
		if err := add(q.kind, q.text); err != nil {
			return nil, err
		}
	}
	for _, other := range sets {
		if other == s {
			continue
		}
		for _, q := range other.queries[:min(others, len(other.queries))] {
			if err := add(elsewhere, q.text); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// askOnce asks a question of the pages that a condition lets through.
func askOnce(ctx context.Context, m *memory.Session, e evidence, text string, without ...string) (askedOnce, error) {
	req := retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: text, Mode: e.mode, Explain: true}, Budget: 300}
	req.Narrow.Where = without
	answer, err := read.Query(ctx, m, req)
	found := answer.SearchResult
	switch {
	case err != nil:
		return askedOnce{}, fmt.Errorf("%q without %s: %w", text, without, err)
	case found.Confidence == nil || found.Fit == nil:
		return askedOnce{}, fmt.Errorf("%q was answered without a confidence", text)
	case e.embed != (found.Mode == e.mode):
		return askedOnce{}, fmt.Errorf("%q was searched by %s", text, found.Mode)
	}
	a := askedOnce{confidence: *found.Confidence, x: e.of(*found.Fit)}
	if len(found.Items) > 0 {
		a.score = found.Items[0].Score
	}
	return a, nil
}

// mostPaths is how many conditions on a path a query is given: it has 24 at most.
const mostPaths = 20

// without is the conditions that leave notes out: their paths, or one glob where there
// are too many for a query. A glob is limited, too: it holds dozens of short names.
func without(want gains) (conditions []string) {
	var names []string
	for name := range want {
		names = append(names, strings.TrimSuffix(name, ".md"))
	}
	slices.Sort(names)
	if len(names) > mostPaths {
		return []string{`-path:"{` + strings.Join(names, ",") + `}.md"`}
	}
	for _, name := range names {
		conditions = append(conditions, `-path:"`+name+`.md"`)
	}
	return conditions
}

// folderOf is the folder that all of some notes are in, "." for none.
func folderOf(want gains) string {
	folder := ""
	for name := range want {
		if d := path.Dir(name); folder == "" {
			folder = d
		} else if d != folder {
			return "."
		}
	}
	return folder
}

// examplesOf weighs every case of a set so that the questions that can be answered
// count as much as the others, and questions to which the subject is there as much as
// those to which it is not. What is adversarial teaches nothing: its page is there.
func examplesOf(list []askedOnce) (out []example) {
	count := map[string]float64{}
	for _, a := range list {
		count[a.kind]++
	}
	away := 0.0
	for _, kind := range []string{absent, elsewhere} {
		if count[kind] > 0 {
			away++
		}
	}
	for _, a := range list {
		weight := 1 / count[a.kind]
		switch a.kind {
		case adversarial:
			continue
		case removed:
			weight /= 2
		case absent, elsewhere:
			weight /= 2 * away
		}
		out = append(out, example{a.x, a.kind == present, weight * 100})
	}
	return out
}

// report is what came of a way to answer, as Markdown.
func report(name string, sets []*set, all [][]askedOnce) string {
	var b strings.Builder
	var every []example
	for _, list := range all {
		every = append(every, examplesOf(list)...)
	}
	fmt.Fprintf(&b, "\n%s: fitted on all sets %.2f\n\n", name, fit(every))
	b.WriteString("| set | case | questions | AUC | fitted elsewhere | AUC of the score | below gap | fitted elsewhere | none | strong |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for i, list := range all {
		var examples []example
		for j, other := range all {
			if j != i {
				examples = append(examples, examplesOf(other)...)
			}
		}
		apart := func(askedOnce) float64 { return 0 }
		if len(examples) > 0 {
			r := fit(examples)
			apart = func(a askedOnce) float64 { return r.chance(a.x) }
		}
		confidence := func(a askedOnce) float64 { return a.confidence }
		numbers := func(kind string, of func(askedOnce) float64) (out []float64) {
			for _, a := range list {
				if a.kind == kind {
					out = append(out, of(a))
				}
			}
			return out
		}
		for _, kind := range []string{present, removed, absent, elsewhere, adversarial, missing, foreign} {
			n := numbers(kind, confidence)
			if len(n) == 0 {
				continue
			}
			fmt.Fprintf(&b, "| %s | %s | %d |", sets[i].name, kind, len(n))
			for _, of := range []func(askedOnce) float64{confidence, apart, func(a askedOnce) float64 { return a.score }} {
				if kind == present {
					b.WriteString(" |")
				} else {
					fmt.Fprintf(&b, " %.3f |", auc(numbers(present, of), numbers(kind, of)))
				}
			}
			fmt.Fprintf(&b, " %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n", 100*below(n, gapBelow), 100*below(numbers(kind, apart), gapBelow),
				100*below(n, rank.NoneBelow), 100-100*below(n, rank.StrongFrom))
		}
	}
	return b.String()
}

// below is the share of numbers that are less than a limit.
func below(numbers []float64, limit float64) float64 {
	n := 0.0
	for _, v := range numbers {
		if v < limit {
			n++
		}
	}
	return n / float64(len(numbers))
}
