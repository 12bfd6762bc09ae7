package command

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

// Writing are the flags of every command that changes pages.
type Writing struct {
	expected int
	DryRun   bool
	diff     bool
	Wait     bool
	message  string
	secrets  []string
	rewrite  bool
}

// AddFlags adds them to a command.
func (w *Writing) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&w.expected, "expected-version", 0, "change nothing unless the page is at this `version`; 0: unless the page does not exist")
	f.BoolVar(&w.DryRun, "dry-run", false, "show the changes as a diff; write nothing")
	f.BoolVar(&w.diff, "diff", false, "show the changes as a diff, too")
	f.BoolVar(&w.Wait, "wait", false, "wait until the new text is embedded")
	f.StringVarP(&w.message, "message", "m", "", "`why`, for the history")
	f.StringArrayVar(&w.secrets, "allow-secret", nil, "let this `rule` of the secret scan pass")
	f.BoolVar(&w.rewrite, "rewrite-timeline", false, "let timeline entries be altered and dropped where the space keeps them")
}

// Options returns the flags as app takes them.
func (w *Writing) Options(cmd *cobra.Command) (api.WriteOptions, error) {
	opts := api.WriteOptions{DryRun: w.DryRun, Diff: w.diff, Message: w.message, AllowSecrets: w.secrets, RewriteTimeline: w.rewrite}
	if cmd.Flags().Changed("expected-version") {
		if w.expected < 0 {
			return opts, kb.Errorf(kb.Usage, "%d is not a version", w.expected).
				WithHint("Versions count from 1; 0 says that there must be no such page.")
		}
		opts.Expected = &w.expected
	}
	return opts, nil
}

// Written prints what a write did. The diff of a dry run is content: it prints
// as it is, for people and programs alike, unless JSON was asked for.
func (p *Program) Written(w api.Written) error {
	if w.Pages == nil {
		w.Pages = []api.WrittenPage{}
	}
	p.remarks(w.Pages)
	for _, s := range w.Skipped {
		p.Note("left as it is: %s: %s%s", s.Path, s.Reason, linesText(s.Lines))
	}
	for _, file := range w.Pointers {
		if w.DryRun {
			p.Note("would change pointers in %s", file)
			continue
		}
		p.Note("changed pointers in %s", file)
	}
	if w.DryRun {
		var diff strings.Builder
		for _, pg := range w.Pages {
			diff.WriteString(dryRunText(pg))
		}
		return p.Content(diff.String(), w, (*terminal.Page).Diff)
	}
	return p.Did(w, func(o *terminal.Page) {
		writtenLines(o, w)
		for _, pg := range w.Pages {
			o.Diff(pg.Diff)
		}
	}, func(o *terminal.Page) {
		for _, pg := range w.Pages {
			o.Linef("%s\t%s\t%d", pg.Ref, Change(pg), pg.Version)
		}
	})
}

// Silent reports whether results are not printed: with --quiet, unless a format
// for programs was requested.
func (p *Program) Silent(f Format) bool {
	if !p.Flags.Quiet {
		return false
	}
	asked, err := p.Setting("format")
	return f == FormatHuman || err == nil && asked == "" && p.Flags.Format == "" && !p.Flags.JSON.Asked
}

// linesText names lines, as in ", lines 3 and 7 to 9"; "" when there are none.
func linesText(lines [][2]int) string {
	parts := make([]string, len(lines))
	for i, l := range lines {
		parts[i] = strconv.Itoa(l[0])
		if l[1] > l[0] {
			parts[i] += " to " + strconv.Itoa(l[1])
		}
	}
	switch n := len(parts); n {
	case 0:
		return ""
	case 1:
		if lines[0][0] == lines[0][1] {
			return ", line " + parts[0]
		}
		return ", lines " + parts[0]
	default:
		return ", lines " + strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	}
}

// dryRunText is the diff of a page, or a line that says why there is none.
func dryRunText(pg api.WrittenPage) string {
	switch {
	case pg.Diff != "":
		return pg.Diff
	case pg.Change == kb.Moved:
		return fmt.Sprintf("# %s would move to %s\n", safetext.Line(pg.From), safetext.Line(pg.Path))
	case pg.Change == "":
		return fmt.Sprintf("# %s would not change\n", safetext.Line(pg.Ref))
	}
	return fmt.Sprintf("# %s would be %s\n", safetext.Line(pg.Ref), pg.Change)
}

func writtenLines(o *terminal.Page, w api.Written) {
	if len(w.Pages) == 0 {
		o.Linef("nothing to change")
	}
	for _, pg := range w.Pages {
		switch pg.Change {
		case "":
			o.Linef("%s unchanged (version %d)", pg.Ref, pg.Version)
		case kb.Deleted:
			o.Linef("deleted %s; cairn restore brings it back", o.Style.Title(pg.Ref))
		case kb.Moved:
			o.Linef("moved %s to %s (version %d)", pg.From, o.Style.Title(pg.Ref), pg.Version)
		default:
			o.Linef("%s %s (version %d)", pg.Change, o.Style.Title(pg.Ref), pg.Version)
		}
	}
	if w.ID != 0 {
		o.Linef("assertion %d", w.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(w.Opened)) {
		o.Linef("new contradiction %s: %s", id, w.Opened[id])
	}
	for _, id := range slices.Sorted(maps.Keys(w.Closed)) {
		o.Linef("settled contradiction %s: %s", id, w.Closed[id])
	}
}

// Change is what became of a page, in one word.
func Change(pg api.WrittenPage) string {
	if pg.Change == "" {
		return "unchanged"
	}
	return string(pg.Change)
}

// manyPages is how many pages may have the same remark, each in a line of its own.
const manyPages = 5

// remarks prints the warnings and notes of written pages on standard error. One that many pages
// have is printed once, with the first of them.
func (p *Program) remarks(pages []api.WrittenPage) {
	type remark struct{ kind, text string }
	var order []remark
	at := map[remark][]string{}
	for _, pg := range pages {
		for _, w := range pg.Warnings {
			path := cmp.Or(w.Path, pg.Path)
			if w.Line > 0 {
				path = fmt.Sprintf("%s:%d", path, w.Line)
			}
			r := remark{"warning", w.Text}
			order, at[r] = append(order, r), append(at[r], path)
		}
		for _, n := range pg.Notes {
			r := remark{"note", n}
			order, at[r] = append(order, r), append(at[r], pg.Path)
		}
	}
	printed := map[remark]int{}
	for _, r := range order {
		switch n := printed[r]; {
		case len(at[r]) <= manyPages:
			p.Note("%s: %s: %s", r.kind, at[r][n], r.text)
		case n == 0:
			p.Note("%s: %s: %s", r.kind, api.Names(at[r]), r.text)
		}
		printed[r]++
	}
}

// RunWrite is the run function of the commands that do one write.
func (p *Program) RunWrite(cmd *cobra.Command, w *Writing, do func(*memory.Session, api.WriteOptions) (api.Written, error)) error {
	return p.RunWriteWith(cmd, w, Synced, do)
}

// RunWriteWith is RunWrite with what the command needs of the memory.
func (p *Program) RunWriteWith(cmd *cobra.Command, w *Writing, need Access, do func(*memory.Session, api.WriteOptions) (api.Written, error)) error {
	opts, err := w.Options(cmd)
	if err != nil {
		return err
	}
	return p.WithApp(cmd.Context(), need, func(a *memory.Session) error {
		done, err := do(a, opts)
		if err != nil {
			return err
		}
		if err := p.Written(done); err != nil {
			return err
		}
		return p.EmbedWritten(cmd.Context(), a, done, w.Wait)
	})
}
