package history

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
	"github.com/cairn-kb/cairn/internal/upkeep/forget"
)

type forgetOptions struct {
	forget.Request
	actor, verify string
	yes           bool
}

func newForget(p *command.Program) *cobra.Command {
	var o forgetOptions
	cmd := &cobra.Command{
		Use:   "forget [REF...]",
		Short: "Remove pages or texts for good, with all traces in the memory",
		Long: `Remove pages with everything that the memory keeps of them: versions, texts, the
full-text index, vectors, questions that they answer, sources, notes on
contradictions and records of their use. The file of a page goes as with cairn
rm: by the rules of its space, in a guarded space with a commit. Then the
database is rewritten, so that unused parts of its files hold nothing of it.

The pages are those named, there or deleted; or those that a search finds with
--query, or that only one actor wrote with --actor. --match removes texts that
match a regular expression, --secret texts with credentials: a page with such a
present text goes as a whole; of other pages only the old versions that have it.
To keep a page, take the text out first. --actor, --match and --secret look in
every space unless --space is given, and so does --query.

Only a person may do this. It cannot be undone: look with --dry-run. It is asked
for at a terminal; elsewhere --yes is needed. The answer lists places out of
reach, such as git history and backups, with the commands for them. An
interrupted call is finished by the next cairn forget.

A receipt lists the removed texts by keyed hashes. --verify RECEIPT reads every
row and the raw files of the database, and further FILEs such as backups, and
reports where something of them is. Keep the receipt private: anyone who guesses
a short text can confirm the guess.`,
		Example: `  cairn forget people/ada --dry-run
  cairn forget people/ada
  cairn forget --secret --dry-run
  cairn forget --match 'ACME-[0-9]{6}' --yes
  cairn forget --actor agent:bot --space notes
  cairn forget --verify receipt.json ~/backups/memory.db`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.PersonOnly("forget", "remove pages for good"); err != nil {
				return err
			}
			if o.verify != "" {
				return verified(cmd.Context(), p, o.verify, args)
			}
			if err := o.selection(cmd, p, args); err != nil {
				return err
			}
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error { return o.run(cmd.Context(), p, a) })
		},
		ValidArgsFunction: p.Refs(-1),
	}
	f := cmd.Flags()
	f.StringVar(&o.Query, "query", "", "the pages that a search for these `words` finds")
	f.StringVar(&o.actor, "actor", "", "the pages that only this actor wrote: a `name`, or kind:name")
	f.StringVar(&o.Match, "match", "", "texts that match this `regexp`")
	f.BoolVar(&o.Secret, "secret", false, "texts with credentials")
	f.BoolVar(&o.DryRun, "dry-run", false, "change nothing; list the pages")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.StringVar(&o.Receipt, "receipt", "", "write the receipt to this `file`; left out: a new one next to the memory")
	f.StringVar(&o.verify, "verify", "", "look for the texts that this `receipt` lists")
	return cmd
}

// selection checks that one thing says what to forget.
func (o *forgetOptions) selection(cmd *cobra.Command, p *command.Program, args []string) error {
	n := 0
	for _, set := range []bool{len(args) > 0, o.Query != "", o.actor != "", o.Match != "", o.Secret} {
		if set {
			n++
		}
	}
	if n != 1 {
		return command.UsageError(cmd, "name the pages, or give one of --query, --actor, --match and --secret")
	}
	o.Refs, o.All = args, p.Flags.Space == ""
	if o.actor != "" {
		o.Actor = history.ParseActor(o.actor)
	}
	if o.Receipt != "" {
		o.Receipt = p.Place().Absolute(o.Receipt)
		return nil
	}
	dir, err := space.ReceiptsDir(p.Place())
	name := filepath.Join(dir, "forget-"+p.Env.Now().UTC().Format("20060102-150405"))
	o.Receipt = name + ".json"
	for n := 2; fsys.Exists(o.Receipt); n++ {
		o.Receipt = fmt.Sprintf("%s-%d.json", name, n)
	}
	return err
}

func (o *forgetOptions) run(ctx context.Context, p *command.Program, a *memory.Session) error {
	if !o.DryRun && !o.yes {
		if !p.Asks() {
			return kb.Errorf(kb.Usage, "nobody can be asked whether to remove this for good").
				WithHint("Nothing was changed. Look at it with --dry-run first; then give --yes.")
		}
		dry := o.Request
		dry.DryRun = true
		r, err := forget.Pages(ctx, a, dry)
		if err != nil {
			return err
		}
		for _, page := range r.Pages {
			p.Note("  %s", forgottenPage(page))
		}
		question := fmt.Sprintf("Remove %s for good? It cannot be undone. [y/N]", planned(r))
		if r.Resumed {
			question = fmt.Sprintf("An earlier cairn forget was interrupted. Finish it first: %s for good? It cannot be undone. [y/N]", remaining(r))
		}
		answer, err := p.Ask(ctx, question)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || !command.YesAnswer(answer) {
			p.Note("nothing was removed")
			return nil
		}
	}
	r, err := forget.Pages(ctx, a, o.Request)
	if err != nil {
		return err
	}
	return p.Did(r, func(out *terminal.Page) { forgotLines(out, r) }, func(out *terminal.Page) {
		for _, page := range r.Pages {
			out.Linef("%s\t%d\t%t", page.Ref, page.Versions, page.Whole)
		}
	})
}

func forgottenPage(p api.ForgottenPage) string {
	switch {
	case !p.Whole:
		return fmt.Sprintf("%s: the texts of %s", p.Ref, terminal.Count(p.Versions, "old version"))
	case p.Deleted:
		return fmt.Sprintf("%s: deleted before, %s", p.Ref, terminal.Count(p.Versions, "version"))
	}
	return fmt.Sprintf("%s: the page, %s", p.Ref, terminal.Count(p.Versions, "version"))
}

// planned counts what is removed. The numbers of records beside pages are left out where
// they are zero.
func planned(r api.ForgetResult) string {
	out := terminal.Count(r.Versions, "version") + " of " + terminal.Count(len(r.Pages), "page")
	for _, more := range []struct {
		n    int
		what string
	}{{r.Gaps, "question"}, {r.Items, "imported item"}, {r.Messages, "write message"}, {r.Dismissals, "contradiction note"}} {
		if more.n > 0 {
			out += ", " + terminal.Count(more.n, more.what)
		}
	}
	return out
}

// remaining names the steps left of an interrupted call. Once the rows are gone, no names
// of pages are known.
func remaining(r api.ForgetResult) string {
	if len(r.Pages) == 0 {
		return "overwrite the removed texts"
	}
	return "remove " + planned(r)
}

func forgotLines(o *terminal.Page, r api.ForgetResult) {
	for _, page := range r.Pages {
		o.Linef("%s", forgottenPage(page))
	}
	switch done := r.Receipt != ""; {
	case done && r.Resumed:
		o.Linef("finished an interrupted cairn forget; repeat the command for anything else")
	case done:
		o.Linef("removed %s, with %s", planned(r), terminal.Count(r.Texts, "stored text"))
	case r.DryRun && r.Resumed:
		o.Linef("an earlier cairn forget was interrupted; the next one finishes it first: it would %s", remaining(r))
	case r.DryRun:
		o.Linef("would remove %s", planned(r))
	default:
		o.Linef("there is nothing to remove")
		return
	}
	if r.Shared > 0 {
		o.Linef("%s stay: other pages have the same", terminal.Count(r.Shared, "text"))
	}
	if r.Verified {
		line := "checked: neither the rows nor the files of the memory hold it"
		if len(r.Left) > 0 {
			line += ", but for the records that stay"
		}
		o.Linef("%s", line)
	}
	if r.Receipt != "" {
		o.Linef("receipt: %s", o.Style.Title(r.Receipt))
	}
	if len(r.Left) > 0 {
		o.Linef("")
		o.Linef("Left as they are:")
		for _, l := range r.Left {
			o.Linef("  %s", l)
		}
	}
	o.Linef("")
	o.Linef("Not reached:")
	for _, b := range r.Beyond {
		at := ""
		if b.At != nil {
			at = " of " + terminal.Moment(*b.At)
		}
		o.Linef("  %s%s", b.What, at)
		for _, c := range b.Commands {
			o.Linef("    %s", c)
		}
	}
}

// verified prints whether what a receipt lists is gone.
func verified(ctx context.Context, p *command.Program, receipt string, files []string) error {
	return p.WithApp(ctx, command.Existing, func(a *memory.Session) error {
		v, err := forget.Verify(ctx, a, receipt, files)
		if err != nil {
			return err
		}
		err = p.Record(v, func(o *terminal.Page) {
			for _, c := range v.Checked {
				o.Linef("read %s", c)
			}
			for _, f := range v.Found {
				o.Linef("%s", o.Style.Warn("found in "+f))
			}
			for _, f := range v.Unreadable {
				o.Linef("%s", o.Style.Warn("not readable: "+f))
			}
			if v.Marks == 0 {
				o.Linef("the receipt has no marks: in files only whole removed texts are found, not parts of them")
			}
			if v.Clean() {
				o.Linef("clean: nothing that was removed on %s was found", terminal.Moment(v.At))
			}
		}, func(o *terminal.Page) {
			for _, f := range v.Found {
				o.Linef("%s", f)
			}
		})
		if err == nil && len(v.Found) == 0 && len(v.Unreadable) > 0 {
			err = kb.Errorf(kb.Conflict, "%s cannot be read: compressed or encrypted", terminal.Count(len(v.Unreadable), "file")).
				WithHint("Unpack or decrypt it, and check the result.")
		} else if err == nil && !v.Clean() {
			err = kb.Errorf(kb.Conflict, "removed texts were found: %s", terminal.Count(len(v.Found), "place"))
		}
		return err
	})
}
