package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == walkCommand {
		exit(walkMain(os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	exit(run(ctx, os.Args[1:]))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// setup is what a run measures with.
type setup struct {
	root   string   // of the module that is measured
	bin    string   // cairn, built or given
	self   string   // this program, for the bare walks
	vaults []string // directories of notes
	temp   string
	// servers are commands of other MCP servers, words separated by spaces.
	servers []string
	sizes
}

// sizes are how much of everything is measured.
type sizes struct {
	rounds    int // turns of cases that take long
	quick     int // turns of cases that take milliseconds
	puts      int
	queries   int
	clients   int   // that write at once
	notes     int   // of the generated vault
	backlinks int   // of the page that is moved
	pages     int   // of the full text alone
	chunks    int   // that questions are asked of
	vectors   int   // in the scan
	guarded   []int // nodes of the guarded spaces
	idle      time.Duration
}

// fullSizes and shortSizes: the first gives numbers to report, the second only
// shows that everything runs.
var (
	fullSizes  = sizes{rounds: 5, quick: 41, puts: 400, queries: 400, clients: 32, notes: 100_000, backlinks: 8000, pages: 1_000_000, chunks: 50_000, vectors: 1_000_000, guarded: []int{100, 1000, 10_000}, idle: 30 * time.Second}
	shortSizes = sizes{rounds: 1, quick: 3, puts: 20, queries: 20, clients: 4, notes: 500, backlinks: 50, pages: 2000, chunks: 500, vectors: 20_000, guarded: []int{20}}
)

// measurement is one section of the report.
type measurement struct {
	name string
	do   func(context.Context, *setup, *report) error
}

var measurements = []measurement{
	{"vaults", measureVaults},
	{"embedding", measureEmbedding},
	{"graph", measureGraph},
	{"notes", measureNotes},
	{"memory", measureMemory},
	{"imports", measureImports},
	{"busy", measureBusy},
	{"put", measurePut},
	{"postgres", measurePostgres},
	{"servers", measureServers},
	{"mixed", measureMixed},
	{"contradictions", measureContradictions},
	{"capture", measureCapture},
	{"ageing", measureAgeing},
	{"context", measureContext},
	{"guarded", measureGuarded},
	{"agents", measureAgents},
	{"questions", measureQuestions},
	{"tooltokens", measureToolTokens},
	{"rename", measureRename},
	{"large", measureLarge},
	{"fulltext", measureFullText},
	{"meaning", measureMeaning},
	{"scan", measureScan},
}

func run(ctx context.Context, args []string) error {
	c := &setup{}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	short := flags.Bool("short", false, "small sizes, each case once: shows that everything runs")
	vaults := flags.String("vaults", os.Getenv("CAIRN_VAULTS"), "directories of notes, separated as in PATH; also CAIRN_VAULTS")
	flags.StringVar(&c.root, "root", "..", "the module to build cairn from")
	flags.StringVar(&c.bin, "bin", "", "measure this cairn instead of building one")
	rounds := flags.Int("rounds", 0, "turns of the cases that take long (default 5)")
	notes := flags.Int("notes", 0, "size of the generated vault (default 100000)")
	pages := flags.Int("pages", 0, "pages of the full text alone (default 1000000)")
	flags.Func("server", "count the tools of this MCP server, too: a `command`; may be given again", func(line string) error {
		c.servers = append(c.servers, line)
		return nil
	})
	only := flags.String("only", "", "measure only these, separated by commas: "+strings.Join(names(), ", "))
	if err := flags.Parse(args); err != nil {
		return err
	}
	c.sizes = fullSizes
	if *short {
		c.sizes = shortSizes
	}
	if *rounds > 0 {
		c.sizes.rounds = *rounds
	}
	if *notes > 0 {
		c.sizes.notes = *notes
	}
	if *pages > 0 {
		c.sizes.pages = *pages
	}
	chosen, err := choose(*only)
	if err != nil {
		return err
	}
	if c.temp, err = os.MkdirTemp("", "cairn-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.temp)
	if err := c.prepare(ctx, *vaults); err != nil {
		return err
	}
	r := newReport(os.Stdout)
	r.machine()
	for _, m := range chosen {
		if err := m.do(ctx, c, r); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return r.err
}

func names() []string {
	var out []string
	for _, m := range measurements {
		out = append(out, m.name)
	}
	return out
}

func choose(only string) ([]measurement, error) {
	if only == "" {
		return measurements, nil
	}
	var out []measurement
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(measurements, func(m measurement) bool { return m.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no measurement %q; there are: %s", name, strings.Join(names(), ", "))
		}
		out = append(out, measurements[i])
	}
	return out, nil
}

// prepare finds the programs and directories.
func (c *setup) prepare(ctx context.Context, vaults string) (err error) {
	if c.self, err = os.Executable(); err != nil {
		return err
	}
	for _, dir := range filepath.SplitList(vaults) {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		if info, err := os.Stat(abs); err != nil || !info.IsDir() {
			return fmt.Errorf("%s is not a directory of notes", dir)
		}
		c.vaults = append(c.vaults, abs)
	}
	if len(c.vaults) == 0 {
		dir := filepath.Join(c.temp, "generated")
		if err := generate(ctx, dir, min(c.notes, generatedVault)); err != nil {
			return err
		}
		c.vaults = []string{dir}
	}
	if c.bin != "" {
		c.bin, err = filepath.Abs(c.bin)
		return err
	}
	c.bin, err = build(ctx, c.root, c.temp)
	return err
}

// generatedVault is how many notes stand in for a vault when none is given.
const generatedVault = 5000
