package write

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

type captureOptions struct {
	command.Writing
	command.Input
	api.CaptureRequest
	each bool
}

func newCapture(p *command.Program) *cobra.Command {
	var o captureOptions
	cmd := &cobra.Command{
		Use:     "capture [TEXT]",
		Aliases: []string{"remember"},
		Short:   "Capture a text as a page of its own",
		Long: `Store a text as a new page of the space of the working directory, and list
similar pages. The title is the first sentence, unless --title is given. If a
page has the text already, it is the answer; nothing is written. So is a page
with the title of --title, with exit code 4 if its text is another.

Where pages are similar, a terminal asks what to do: --extend REF adds the text
to a page with the date, --update REF replaces the text of one and leaves its
relations, --keep stores a page of its own. For programs the policy of the space
decides: the page is stored, or refused with exit code 4.

The policy also controls whether tags are found in the text and near pages
linked. In a git repository the page gets the tag project/NAME. With --each,
every argument is a page, or every paragraph of a file, all in one write. On a
machine without a memory this makes one.`,
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
	f.BoolVar(&o.Keep, "keep", false, "make a page even if similar ones exist")
	command.Alias(cmd, "new", "keep")
	f.BoolVar(&o.each, "each", false, "make a page of every argument, or of every paragraph of the file")
	f.StringVar(&o.Session, "session", "", "note the `id` of the session, where the space keeps it")
	o.Input.AddFlags(cmd, "the text")
	o.Writing.AddFlags(cmd)
	return cmd
}

// texts reads the texts to capture.
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

var blankLines = lazyregexp.New(`(?:\r?\n[ \t]*){2,}`)

// paragraphs cuts a text at its blank lines. Rules between paragraphs are none themselves.
func paragraphs(text string) []string {
	return slices.DeleteFunc(blankLines().Split(text, -1), func(s string) bool { return strings.Trim(s, "-*_ \t\r\n") == "" })
}

func runCapture(cmd *cobra.Command, p *command.Program, o *captureOptions, args []string) (err error) {
	if o.Each, err = o.texts(cmd, p, args); err != nil {
		return err
	}
	if o.WriteOptions, err = o.Options(cmd); err != nil {
		return err
	}
	access := command.Create
	if o.Writing.DryRun {
		access = command.Existing
	}
	return p.WithApp(cmd.Context(), access, func(a *memory.Session) error {
		r, err := capture(cmd.Context(), p, a, o)
		if err != nil {
			return err
		}
		if err := printCaptured(p, r); err != nil {
			return err
		}
		if err := p.EmbedWritten(cmd.Context(), a, r.Written, o.Wait); err != nil {
			return err
		}
		if r.Dropped() {
			return command.ErrConflicts
		}
		return nil
	})
}

// capture captures, and asks a person at a terminal for the space where none is chosen,
// and what to do where pages are similar.
func capture(ctx context.Context, p *command.Program, a *memory.Session, o *captureOptions) (ingest.CaptureAnswer, error) {
	asks := p.Asks() && !o.Taken
	req := o.CaptureRequest
	req.Ask = asks && !req.Keep && req.Extend+req.Update == ""
	r, err := ingest.Capture(ctx, a, req)
	if err != nil && asks && kb.AsError(err).Reason == kb.SpaceUndecided {
		name, askErr := p.Ask(ctx, fmt.Sprintf("Which space? %s", kb.AsError(err).Facts["spaces"]))
		if askErr != nil || name == "" {
			return r, err
		}
		a = a.In(name)
		r, err = ingest.Capture(ctx, a, req)
	}
	if err == nil || !asks || kb.AsError(err).Reason != kb.SimilarFound {
		return r, err
	}
	similar := r.Similar
	for _, c := range r.Each[min(len(r.Each), 1):] {
		similar = append(slices.Clip(similar), c.Similar...)
	}
	for i, h := range similar {
		p.Note("similar: %d. %s (%s)", i+1, h.Ref, h.Title)
	}
	answer, askErr := p.Ask(ctx, question(len(req.Each), similar))
	if askErr != nil || !decide(&req, answer, similar) {
		return r, err
	}
	return ingest.Capture(ctx, a, req)
}

// question is what a person is asked where pages are similar to texts. Only one text can
// become more of a page.
func question(texts int, similar []api.Hit) string {
	switch {
	case texts > 1:
		return "[k]eep all texts as pages of their own?"
	case len(similar) > 1:
		return fmt.Sprintf("[e]xtend %s, [u]pdate it, [k]eep both? (e 2, u 2: the second)", similar[0].Ref)
	}
	return fmt.Sprintf("[e]xtend %s, [u]pdate it, [k]eep both?", similar[0].Ref)
}

// decide has a request do what a person answered; false where they said nothing of it.
func decide(req *api.CaptureRequest, answer string, similar []api.Hit) bool {
	req.Ask = false
	word, number, numbered := strings.Cut(strings.ToLower(answer), " ")
	at := 1
	if numbered {
		var err error
		if at, err = strconv.Atoi(strings.TrimSpace(number)); err != nil {
			return false
		}
	}
	if word == "k" || word == "keep" {
		req.Keep = true
		return true
	}
	if at < 1 || at > len(similar) || len(req.Each) > 1 {
		return false
	}
	switch word {
	case "e", "extend":
		req.Extend = similar[at-1].Ref
	case "u", "update":
		req.Update = similar[at-1].Ref
	default:
		return false
	}
	req.Title, req.Type = "", "" // the page keeps its own
	return true
}

// printCaptured prints the stored text and similar pages.
func printCaptured(p *command.Program, r ingest.CaptureAnswer) error {
	f, err := p.Format()
	if err != nil {
		return err
	}
	each := r.Each
	if len(each) == 0 {
		each = []ingest.Captured{r.Captured}
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

// noteSimilar suggests alternatives for texts that were stored although similar
// pages exist.
func noteSimilar(p *command.Program, each []ingest.Captured) {
	for _, c := range each {
		if len(c.Existing) > 0 && c.Existing[0].Text != nil {
			p.Note("note: nothing was stored; add the text with --extend %[1]s, replace that page's text with --update %[1]s, or pass --keep for a page of its own", c.Ref)
		}
		if len(c.Existing) > 0 || len(c.Similar) == 0 || c.Ref == c.Similar[0].Ref {
			continue
		}
		if len(c.Calls) == 0 { // the caller may not delete here
			p.Note("note: %s is similar; if %s says nothing else, propose to the user: cairn curate merge %[2]s %[1]s", c.Similar[0].Ref, c.Ref)
		} else {
			p.Note("note: if %s says nothing else: cairn rm %[1]s, and capture it again with --extend %[2]s or --update %[2]s", c.Ref, c.Similar[0].Ref)
		}
	}
}

// printExisting prints the page that has the text already.
func printExisting(p *command.Program, c ingest.Captured) error {
	if len(c.Existing) == 0 {
		return nil
	}
	x := c.Existing[0]
	return p.Did(c, func(o *terminal.Page) {
		if x.Text == nil {
			o.Linef("nothing written: %s says this already (version %d)", o.Style.Title(x.Ref), x.Version)
			return
		}
		o.Linef("nothing written: %s has this title (version %d) and says:", o.Style.Title(x.Ref), x.Version)
		for line := range strings.Lines(*x.Text) {
			o.Linef("  %s", strings.TrimRight(line, "\r\n"))
		}
	}, func(o *terminal.Page) { o.Linef("%s\texists\t%d", x.Ref, x.Version) })
}
