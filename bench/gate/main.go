package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet("gate", flag.ContinueOnError)
	base := flags.String("base", "", "the `commit` to compare with (default: the one in bench/BASE)")
	full := flags.Bool("full", false, "larger vaults and more pairs")
	only := flags.String("only", "", "run only these cases, separated by commas: "+strings.Join(caseNames(), ", "))
	limit := flags.Float64("limit", 1.05, "the largest ratio to the base that passes")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen, err := choose(*only)
	if err != nil {
		return err
	}
	root, err := repository(ctx)
	if err != nil {
		return err
	}
	if *base == "" {
		if *base, err = documentedBase(root); err != nil {
			return err
		}
	}
	temp, err := os.MkdirTemp("", "cairn-gate-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	sides, err := buildBoth(ctx, root, *base, temp)
	if err != nil {
		return err
	}
	size := short
	if *full {
		size = long
	}
	return measureAll(ctx, chosen, sides, size, *limit)
}

// measureAll measures the cases, prints a table of ratios and returns an error
// that names the cases over the limit.
func measureAll(ctx context.Context, chosen []kase, sides [2]side, size sizes, limit float64) error {
	fmt.Printf("\n| case | pairs | CPU, base | CPU | ratio | objects, ratio | bytes, ratio |\n|---|---|---|---|---|---|---|\n")
	var over []string
	for _, k := range chosen {
		r, err := measure(ctx, k, sides, size, limit)
		if err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		mark := ""
		if r.worst() > limit {
			over = append(over, k.name)
			mark = " **over**"
		}
		fmt.Printf("| %s | %d | %.0f ms | %.0f ms | %.3f | %.3f | %.3f |%s\n",
			k.name, len(r), r.median(0, cpu)/1e6, r.median(1, cpu)/1e6, r.ratio(cpu), r.ratio(objects), r.ratio(bytesAllocated), mark)
	}
	if len(over) > 0 {
		return fmt.Errorf("more than %.2f × the base: %s", limit, strings.Join(over, ", "))
	}
	return nil
}

func caseNames() []string {
	var out []string
	for _, k := range cases {
		out = append(out, k.name)
	}
	return out
}

func choose(only string) ([]kase, error) {
	if only == "" {
		return cases, nil
	}
	var out []kase
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(cases, func(k kase) bool { return k.name == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown case %q (want %s)", name, strings.Join(caseNames(), ", "))
		}
		out = append(out, cases[i])
	}
	return out, nil
}

// documentedBase returns the commit in bench/BASE. docs/benchmarks.md must
// mention it: it says why the base was moved there.
func documentedBase(root string) (string, error) {
	b, err := os.ReadFile(filepath.Join(root, "bench", "BASE"))
	if err != nil {
		return "", err
	}
	base := strings.TrimSpace(string(b))
	const shortest = 8
	if len(base) < shortest || strings.Trim(base, "0123456789abcdef") != "" {
		return "", fmt.Errorf("bench/BASE contains %q, not a commit of at least %d digits", base, shortest)
	}
	page := filepath.Join("docs", "benchmarks.md")
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		return "", err
	}
	if !strings.Contains(string(text), base[:shortest]) {
		return "", fmt.Errorf("%s does not mention %s, the commit in bench/BASE: add a line with the reason and the ratios", page, base[:shortest])
	}
	return base, nil
}
