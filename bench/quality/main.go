package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, progress io.Writer) (err error) {
	flags := flag.NewFlagSet("quality", flag.ContinueOnError)
	data := flags.String("data", os.Getenv("CAIRN_QUALITY_DATA"), "folder with a folder for each set; also CAIRN_QUALITY_DATA")
	names := flags.String("sets", "", "folders to measure, separated by commas; all that are there when empty")
	models := flags.String("models", "", "directories of models, or the packed multilingual one, that are measured too, separated by commas")
	turns := flags.Bool("turns", false, "take every turn of a conversation as a note, and search for the turns that are evidence")
	limit := flags.Int("limit", 0, "at most this many queries of each set, drawn; 0 is all")
	docs := flags.Int("docs", 0, "at most this many notes of each set: those that answer, and others drawn; 0 is all")
	keep := flags.String("keep", "", "keep notes and databases in this folder, and use those that are there")
	answerable := flags.Bool("answerable", false, "measure instead how well confidence tells questions that can be answered from others")
	evidence := flags.Bool("evidence", false, "measure instead which share of the marked evidence is in answers of recall of 300 to 1,500 tokens")
	rerank := flags.String("rerank", "", "compare instead answers as they are with those that this `setting` reranks: their pages, and their evidence")
	exhaustive := flags.Bool("exhaustive", false, "measure instead which share of the judged notes is in exhaustive answers, and how long these are")
	summaries := flags.Bool("summaries", false, "measure instead which share of the turns that answer a question is in the summaries of three sessions each")
	facts := flags.Bool("facts", false, "measure instead which share of the facts of stale pages is in their summaries; needs no data")
	words := flags.String("coarse", "", "measure vectors made of those of words instead, with the model in this packed `file`")
	gate := flags.Bool("gate", false, "fail where less is found than docs/benchmarks.md reports, by more than 2 %, of evidence 3 %")
	asJSON := flags.Bool("json", false, "print JSON rather than a table")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *data == "" && !*facts {
		return errors.New("-data is needed: the folder with the sets")
	}
	if *keep == "" {
		if *keep, err = os.MkdirTemp("", "cairn-quality-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(*keep)) }()
	}
	// Spaces have absolute roots, and paths of models are not relative to them.
	dir, err := filepath.Abs(*keep)
	if err != nil {
		return err
	}
	if *facts {
		return reportFacts(ctx, dir, out)
	}
	others := split(*models)
	for i, path := range others {
		if others[i], err = filepath.Abs(path); err != nil {
			return err
		}
	}
	sets, err := readSets(*data, *names, *turns)
	if err != nil {
		return err
	}
	if *answerable {
		for _, s := range sets {
			s.shrink(*limit, *docs)
		}
		return measureAnswerable(ctx, dir, sets, out, progress)
	}
	if *evidence {
		var results []served
		for _, s := range sets {
			s.shrink(*limit, *docs)
			r, err := measureEvidence(ctx, dir, s, progress)
			if err != nil {
				return err
			}
			results = append(results, r...)
		}
		err := printEvidence(out, results, *asJSON)
		if *gate {
			err = errors.Join(err, lessEvidence(results, committedEvidence))
		}
		return err
	}
	if *rerank != "" {
		var results []compared
		for _, s := range sets {
			s.shrink(*limit, *docs)
			r, err := measureReranked(ctx, dir, s, *rerank, progress)
			if err != nil {
				return err
			}
			results = append(results, r...)
		}
		return rerankTable(out, results)
	}
	if *exhaustive {
		var results []exhausted
		for _, s := range sets {
			s.shrink(*limit, *docs)
			r, err := measureExhaustive(ctx, dir, s, progress)
			if err != nil {
				return err
			}
			results = append(results, r)
		}
		return exhaustiveTable(out, results)
	}
	if *summaries {
		return measureSummaries(ctx, dir, sets, out)
	}
	measure := func(s *set) ([]result, error) { return measureAll(ctx, dir, s, others, progress) }
	if *words != "" {
		c, err := newCoarse(ctx, *words, progress)
		if err != nil {
			return err
		}
		measure = func(s *set) ([]result, error) { return measureCoarse(ctx, dir, s, c, progress) }
	}
	var results []result
	for _, s := range sets {
		s.shrink(*limit, *docs)
		r, err := measure(s)
		if err != nil {
			return err
		}
		results = append(results, r...)
	}
	if *asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		err = e.Encode(results)
	} else {
		err = table(out, results)
	}
	if *gate {
		err = errors.Join(err, regressed(results, committed))
	}
	return err
}

// readSets reads the sets, all of them before the first is measured: that takes
// a while, and a mistake in the last one would lose it.
func readSets(data, list string, turns bool) ([]*set, error) {
	names, err := folders(data, list)
	if err != nil {
		return nil, err
	}
	var sets []*set
	for _, name := range names {
		s, err := load(filepath.Join(data, name), turns)
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return sets, nil
}

// folders returns the names that are listed, or those of all folders in data,
// hidden ones left out. A link to a folder counts as one.
func folders(data, list string) ([]string, error) {
	if list != "" {
		return split(list), nil
	}
	entries, err := os.ReadDir(data)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		info, err := os.Stat(filepath.Join(data, e.Name()))
		if err != nil {
			return nil, err
		}
		if info.IsDir() {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no folder with a set", data)
	}
	return names, nil
}

// split returns the parts of a list, none for an empty one.
func split(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

// table prints results as a Markdown table.
func table(out io.Writer, results []result) error {
	var b strings.Builder
	b.WriteString("| set | notes | queries | way | nDCG@10 | R@5 | R@10 | any@5 | all@5 | MRR |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range results {
		fmt.Fprintf(&b, "| %s | %d | %d | %s | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f |\n",
			r.Set, r.Notes, r.Queries, r.Way, r.NDCG10, r.Recall5, r.Recall10, r.Any5, r.All5, r.MRR)
	}
	_, err := io.WriteString(out, b.String())
	return err
}
