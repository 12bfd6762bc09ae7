package command

import (
	"context"
	"strconv"

	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

// Show prints what a person may read for a while. What does not fit on the
// terminal waits for the end of the run, when the memory is closed.
func (p *Program) Show(text []byte) error {
	if window(p.Env).Holds(text) || p.Flags.noPager || p.Env.Getenv("TERM") == "dumb" || pager(p.Env) == "" {
		return p.Write(text)
	}
	p.paged = append(p.paged, text...)
	return nil
}

// Finish shows what waits in a pager. Where that does not start, it is printed.
func (p *Program) Finish(ctx context.Context) error {
	if len(p.paged) == 0 {
		return nil
	}
	s := Streams(p)
	if p.Env.Getenv("LESS") == "" {
		s.Env = []string{"LESS=FRX"} // as git does: leave when it fits, keep colours, leave the text on the screen
	}
	if err := terminal.RunPager(ctx, pager(p.Env), p.paged, s); err != nil {
		return p.Write(p.paged)
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
