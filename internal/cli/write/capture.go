package write

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/cli/command"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/terminal"
)

type captureOptions struct {
	command.Writing
	command.Input
	app.CaptureRequest
	each      bool
	namespace string
}

func newCapture(p *command.Program) *cobra.Command {
	var o captureOptions
	cmd := &cobra.Command{
		Use:     "capture [TEXT]",
		Aliases: []string{"remember"},
		Short:   "Capture a text as a page of its own",
		Long: `Store a text as a new page of the space of the working directory, and say which
pages are about the same. The title is the first sentence, unless --title says
otherwise. A page that has the text already is the answer; nothing is written.

Where pages are similar, a terminal asks what to do: --extend REF adds the text
to a page with the date, --update REF replaces the text of one and leaves its
relations, --keep stores a page of its own. Programs get what the policy of the
space says: the page is stored, or refused with exit code 4.

The policy also says whether tags are found in the text and near pages linked.
In a git repository the page gets the tag project/NAME. With --each, every
argument is a page, or every paragraph of a file, all in one write. On a machine
without a memory this makes one.`,
		Example: `  cairn capture "We use SQLite: it needs no server." --tag decision
  cairn capture --space clients --file notes.md
  cairn capture --extend cn-5fc4 "They signed on Friday."
  cairn remember --title "Release checklist" --link projects/cairn - < list.md`,
		Args: command.AtLeast(0, ""),
		RunE: func(cmd *cobra.Command, args []string) error { return runCapture(cmd, p, &o, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Title, "title", "", "set the `title`")
	f.StringVarP(&o.Type, "type", "t", "", "set the `type`")
	f.StringArrayVarP(&o.Tags, "tag", "T", nil, "add a `tag`; again for another")
	f.StringVar(&o.Summary, "summary", "", "set the summary, one `line`; some spaces require it")
	f.StringToStringVar(&o.Set, "set", nil, "set a `key=value` of the metadata; again for another")
	f.BoolVar(&o.Stable, "stable", false, "name the file after the title alone, without the time")
	f.BoolVar(&o.NoAutoTags, "no-auto-tags", false, "find no tags in the text")
	f.StringArrayVar(&o.Links, "link", nil, "add a relation to the page of this `ref`; again for another")
	f.StringArrayVar(&o.Supersedes, "supersedes", nil, "say that it takes the place of the page of this `ref`; again for another")
	f.StringVar(&o.Extend, "extend", "", "add the text to the page of this `ref`, with the date")
	f.StringVar(&o.Update, "update", "", "replace the text of the page of this `ref`")
	f.BoolVar(&o.Keep, "keep", false, "make a page of its own whatever is similar")
	command.Alias(cmd, "new", "keep")
	f.BoolVar(&o.each, "each", false, "make a page of every argument, or of every paragraph of the file")
	f.StringVar(&o.Session, "session", "", "note the `id` of the session, where the space keeps it")
	f.StringVar(&o.namespace, "namespace", "", "the space, as --space")
	if err := f.MarkHidden("namespace"); err != nil {
		panic(err) // the flag is the line above
	}
	o.Input.AddFlags(cmd, "the text")
	o.Writing.AddFlags(cmd)
	return cmd
}

// texts reads what is to be captured.
func (o *captureOptions) texts(cmd *cobra.Command, p *command.Program, args []string) ([]string, error) {
	if len(args) > 1 && !o.each {
		return nil, command.UsageError(cmd, "capture takes one text, and these are %d: quote it, or pass --each", len(args))
	}
	if len(args) > 1 {
		return slices.Clone(args), nil
	}
	var text *string
	if len(args) > 0 {
		text = &args[0]
	}
	body, err := o.ReadText(cmd.Context(), p, cmd, text)
	if err != nil || !o.each {
		return []string{string(body)}, err
	}
	return paragraphs(string(body)), nil
}

var blankLines = regexp.MustCompile(`(?:\r?\n[ \t]*){2,}`)

// paragraphs cuts a text at its blank lines.
func paragraphs(text string) []string {
	return slices.DeleteFunc(blankLines.Split(text, -1), func(s string) bool { return strings.TrimSpace(s) == "" })
}

func runCapture(cmd *cobra.Command, p *command.Program, o *captureOptions, args []string) (err error) {
	if o.namespace != "" {
		if p.Flags.Space != "" && p.Flags.Space != o.namespace {
			return command.UsageError(cmd, "--space and --namespace name two spaces")
		}
		p.Flags.Space = o.namespace
	}
	if o.Texts, err = o.texts(cmd, p, args); err != nil {
		return err
	}
	if o.WriteOptions, err = o.Options(cmd); err != nil {
		return err
	}
	access := command.Create
	if o.Writing.DryRun {
		access = command.Existing
	}
	return p.WithApp(cmd.Context(), access, func(a *app.App) error {
		r, err := capture(cmd.Context(), p, a, o)
		if err != nil {
			return err
		}
		if err := printCaptured(p, r); err != nil {
			return err
		}
		return p.EmbedWritten(cmd.Context(), a, r.Written, o.Wait)
	})
}

// capture captures, and asks a person at a terminal for the space where none is chosen,
// and what to do where pages are similar.
func capture(ctx context.Context, p *command.Program, a *app.App, o *captureOptions) (app.CaptureAnswer, error) {
	asks := p.Asks() && !o.Taken
	req := o.CaptureRequest
	req.Ask = asks && !req.Keep && req.Extend+req.Update == ""
	r, err := a.Capture(ctx, req)
	if err != nil && asks && kb.AsError(err).Reason == kb.SpaceUndecided {
		name, askErr := p.Ask(ctx, fmt.Sprintf("Which space? %s", kb.AsError(err).Facts["spaces"]))
		if askErr != nil || name == "" {
			return r, err
		}
		a = a.In(name)
		r, err = a.Capture(ctx, req)
	}
	if err == nil || !asks || kb.AsError(err).Reason != kb.SimilarFound || len(req.Texts) > 1 {
		return r, err
	}
	for _, h := range r.Similar {
		p.Note("similar: %s (%s)", h.Ref, h.Title)
	}
	ref := fmt.Sprint(kb.AsError(err).Facts["ref"])
	answer, askErr := p.Ask(ctx, fmt.Sprintf("[e]xtend %s, [u]pdate it, [k]eep both?", ref))
	if askErr != nil {
		return r, err
	}
	req.Ask = false
	switch strings.ToLower(answer) {
	case "e", "extend":
		req.Extend, req.Title, req.Type = ref, "", ""
	case "u", "update":
		req.Update, req.Title, req.Type = ref, "", ""
	case "k", "keep":
		req.Keep = true
	default:
		return r, err
	}
	return a.Capture(ctx, req)
}

// printCaptured prints what was stored, and what is like it.
func printCaptured(p *command.Program, r app.CaptureAnswer) error {
	f, err := p.Format()
	if err != nil {
		return err
	}
	each := r.Each
	if len(each) == 0 {
		each = []app.Captured{r.Captured}
	}
	if f == command.FormatJSON {
		err := command.Done(p.JSON(r))
		noteSimilar(p, each)
		return err
	}
	if len(r.Pages) > 0 || len(each) == 0 {
		if err := p.Written(r.Written); err != nil {
			return err
		}
	}
	for _, c := range each {
		if err := printExisting(p, c); err != nil {
			return err
		}
		if f == command.FormatHuman && len(c.Existing) == 0 && len(c.Tags) > 0 {
			p.Note("tags: %s", strings.Join(c.Tags, ", "))
		}
		for _, l := range c.Links {
			if l.Score > 0 {
				p.Note("linked: %s (%.2f)", l.Ref, l.Score)
			}
		}
		for _, h := range c.Similar {
			p.Note("similar: %s (%s)", h.Ref, h.Title)
		}
	}
	noteSimilar(p, each)
	return nil
}

// noteSimilar says what else could be done with texts that were stored beside similar
// pages.
func noteSimilar(p *command.Program, each []app.Captured) {
	for _, c := range each {
		if len(c.Existing) == 0 && len(c.Similar) > 0 && c.Ref != c.Similar[0].Ref {
			p.Note("note: if %s says nothing else: cairn rm %[1]s, and capture it again with --extend %[2]s or --update %[2]s", c.Ref, c.Similar[0].Ref)
		}
	}
}

// printExisting prints the page that has the text already.
func printExisting(p *command.Program, c app.Captured) error {
	if len(c.Existing) == 0 {
		return nil
	}
	x := c.Existing[0]
	return p.Did(c, func(o *terminal.Page) {
		o.Linef("nothing written: %s says this already (version %d)", o.Style.Title(x.Ref), x.Version)
	}, func(o *terminal.Page) { o.Linef("%s\texists\t%d", x.Ref, x.Version) })
}
