package write

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// namesFile matches a text that is nothing but the name of a document.
var namesFile = lazyregexp.New(`^\S+\.(?:md|markdown|org|txt)$`)

type putOptions struct {
	command.Writing
	command.Input
	change.PutRequest
}

func newPut(p *command.Program) *cobra.Command {
	var o putOptions
	cmd := &cobra.Command{
		Use:   "put [REF] [TEXT or FILE]",
		Short: "Write a whole page",
		Long: `Write a page: a new one, or all of an existing one. The text is an argument, a
file, or standard input, and is written as it is. If the argument is the name
of a file, the file is read. --title, --type, --tag and --summary are set in
the metadata, which is put in front when there is none.

An existing page is overwritten only with --overwrite, or with
--expected-version: the version that you read. A title, an alias or the end of a
slug names the page that get shows for it. To make another page of that name,
pass --new, or a path with its extension. Without REF the place is made from
--title: with a title, an only argument is the text, unless the text comes from
--file or standard input. On a machine without a memory this makes one.`,
		Example: `  cairn put people/ada --title "Ada Lovelace" --type person "Wrote the first program."
  cairn put notes/minutes minutes.md
  cairn get people/ada | sed s/Byron/Lovelace/ | cairn put people/ada --expected-version 3
  cairn put --title "An idea" "Fire slower at night."
  cairn put --title "An idea" --tag idea - < idea.txt`,
		Args:              command.Need("[REF]", "[TEXT]"),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPut(cmd, p, &o, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Title, "title", "", "set the `title`")
	f.StringVarP(&o.Type, "type", "t", "", "set the `type`")
	f.StringArrayVarP(&o.Tags, "tag", "T", nil, "add a `tag`; again for another")
	f.StringVar(&o.Summary, "summary", "", "set the summary, one `line`; some spaces require it")
	f.BoolVar(&o.Overwrite, "overwrite", false, "replace an existing page in any version")
	f.BoolVar(&o.Merge, "merge", false, "with --expected-version: merge with changes since, where none overlaps")
	f.BoolVar(&o.New, "new", false, "make another page with the name in REF or --title")
	o.Input.AddFlags(cmd, "the text")
	o.Writing.AddFlags(cmd)
	return cmd
}

func runPut(cmd *cobra.Command, p *command.Program, o *putOptions, args []string) error {
	text := command.Second(args)
	switch {
	case o.New && o.Overwrite:
		return command.UsageError(cmd, "--new makes another page, --overwrite replaces the existing one: give one of them")
	case o.Merge && o.Overwrite:
		return command.UsageError(cmd, "--merge keeps the changes of others, --overwrite replaces them: give one of them")
	case o.Merge && !cmd.Flags().Changed("expected-version"):
		return command.UsageError(cmd, "--merge needs --expected-version: the version that the text was made from")
	case len(args) == 0 && o.Title == "":
		return command.UsageError(cmd, "%s needs REF or --title", cmd.CommandPath())
	case len(args) == 1 && args[0] == "-" && o.Title != "":
		text = &args[0]
	case len(args) > 0:
		o.Ref = args[0]
	}
	prose := len(args) == 1 && o.File == "" && args[0] != "-" && (o.Title != "" || ref.ReadsAsText(args[0]))
	if prose && p.Env.StdinTTY {
		text = &args[0]
	}
	if text != nil && o.IsFile(p, *text) {
		text, o.File = nil, *text
	} else if text != nil && namesFile().MatchString(*text) {
		return command.UsageError(cmd, "no file %s: pipe the text in to store it as it is", *text)
	}
	var err error
	if o.Text, err = o.ReadText(cmd.Context(), p, cmd, text); err != nil {
		return err
	}
	if prose && (text != nil || len(bytes.TrimSpace(o.Text)) == 0) {
		text, o.Text, o.Ref = &args[0], []byte(args[0]), ""
		if o.Title == "" {
			return command.UsageError(cmd, "%q reads as a text: name the page that it is for, or give it a --title", args[0])
		}
	}
	if text != nil && *text != "-" && !bytes.HasSuffix(o.Text, []byte("\n")) {
		o.Text = append(o.Text, '\n') // a shell's argument has no last line end, a file should
	}
	if len(bytes.TrimSpace(o.Text)) == 0 && o.Title == "" {
		return command.UsageError(cmd, "the text is empty, and no --title is given")
	}
	need := command.CreateSynced
	if o.Writing.DryRun {
		need = command.Synced
	}
	return p.RunWriteWith(cmd, &o.Writing, need, func(a *memory.Session, w api.WriteOptions) (api.Written, error) {
		req := o.PutRequest
		req.WriteOptions, o.Text = w, nil // the text is not kept while the page is embedded
		return change.Put(cmd.Context(), a, req)
	})
}
