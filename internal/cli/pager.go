package cli

import (
	"context"
	"strconv"

	"github.com/cairn-kb/cairn/internal/terminal"
)

// paged is what does not fit on the terminal. It waits for the end of the run,
// when the memory is closed, and goes through a pager then.
type paged struct{ text []byte }

// show returns how a run prints what a person may read for a while.
func (g *paged) show(p *program) func([]byte) error {
	return func(text []byte) error {
		if window(p.env).Holds(text) || p.flags.noPager || p.env.Getenv("TERM") == "dumb" || pager(p.env) == "" {
			return p.write(text)
		}
		g.text = append(g.text, text...)
		return nil
	}
}

// run shows what waits. Where the pager does not start, it is printed.
func (g *paged) run(ctx context.Context, p *program) error {
	if len(g.text) == 0 {
		return nil
	}
	s := streams(p)
	if p.env.Getenv("LESS") == "" {
		s.Env = []string{"LESS=FRX"} // as git does: leave when it fits, keep colours, leave the text on the screen
	}
	if err := terminal.RunPager(ctx, pager(p.env), g.text, s); err != nil {
		return p.write(g.text)
	}
	return nil
}

// pager returns the command line of the pager, "" for none.
func pager(env Env) string { return terminal.Pager(env.Getenv("CAIRN_PAGER"), env.Getenv("PAGER")) }

// window is the size of the terminal on standard output. COLUMNS wins, as it
// does for man and git.
func window(env Env) terminal.Window {
	if !env.StdoutTTY || env.Window == nil {
		return terminal.Window{}
	}
	w := env.Window()
	if n, err := strconv.Atoi(env.Getenv("COLUMNS")); err == nil && n > 0 {
		w.Columns = n
	}
	return w
}
