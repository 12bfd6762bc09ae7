package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/surface/cli/agents"
	"github.com/cairn-kb/cairn/internal/surface/cli/care"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/cli/history"
	"github.com/cairn-kb/cairn/internal/surface/cli/read"
	"github.com/cairn-kb/cairn/internal/surface/cli/spaces"
	"github.com/cairn-kb/cairn/internal/surface/cli/write"
)

// daily are the commands that most days need, as a newcomer meets them.
var daily = []string{"search", "query", "get", "put", "edit", "daily", "recent", "undo", "space add", "setup"}

// overview is what cairn says without a command: ten of them, and where the others are.
func overview(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("A memory for AI agents and the people they work with.\n\n")
	b.WriteString("  cairn search --in DIR \"words\"   needs nothing but a directory of notes\n\n")
	for _, name := range daily {
		c, _, err := root.Find(strings.Fields(name))
		if err != nil {
			continue
		}
		fmt.Fprintf(&b, "  %-16s %s\n", name, c.Short)
	}
	b.WriteString("\nAll commands: cairn --help. One of them: cairn help COMMAND.\n")
	return b.String()
}

// newRoot returns the tree of commands: the whole one, or as much as a run of the command that
// the arguments begin with needs. To make all of them takes a tenth of a short run.
func newRoot(p *command.Program) *cobra.Command {
	root := &cobra.Command{
		Use:   "cairn",
		Short: "A local memory for AI agents and the people they work with",
		Long: `cairn is a memory that agents and people leave for the next session: notes in
plain Markdown or Org files that you own, searchable at once, with links,
timelines and a history of every change.

It starts with a directory of notes and a question:

  cairn search --in DIR "words"`,
		Example: `  cairn search --in docs "write path"
  cairn put people/ada --title "Ada Lovelace" "Wrote the first program."
  cairn edit people/ada --append "Met Babbage in 1833."
  cairn undo`,
		SilenceErrors:              true,
		SilenceUsage:               true,
		SuggestionsMinimumDistance: 2,
		Args:                       command.Subcommand,
		PersistentPreRunE:          func(cmd *cobra.Command, _ []string) error { return p.Check(cmd) },
	}
	root.SetIn(p.Env.Stdin)
	root.SetErr(p.Env.Stderr)
	root.SetFlagErrorFunc(command.FlagError)
	// cobra's own flag would need one of its templates to say the same, and with
	// templates the linker keeps every method of every type: 3 MB.
	version := root.Flags().BoolP("version", "v", false, "version for cairn")
	tools := root.Flags().Bool("tools-json", false, "print the tools that agents have, as cairn tools-json does")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if *tools {
			return agents.Tools(p)
		}
		if *version {
			return p.Content("cairn "+p.Env.Build.Version+"\n", p.Env.Build, command.PlainText)
		}
		return p.Write([]byte(overview(cmd)))
	}

	p.AddFlags(root)
	root.SetHelpCommandGroupID("care")
	root.SetHelpCommand(newHelp())
	groups := []struct {
		id, title string
		commands  func(*command.Program) []*cobra.Command
	}{
		{command.GroupRead, "Find and read:", read.Commands},
		{"write", "Write:", write.Commands},
		{"history", "Look back:", history.Commands},
		{"spaces", "Spaces:", spaces.Commands},
		{"agents", "For agents and programs:", agents.Commands},
		{"care", "Look after the memory:", care.Commands},
	}
	for _, group := range groups {
		root.AddGroup(&cobra.Group{ID: group.id, Title: group.title})
	}
	for _, group := range groups {
		meant := false
		for _, c := range group.commands(p) {
			c.GroupID = group.id
			root.AddCommand(c)
			meant = meant || len(p.Env.Args) > 0 && c.Name() == p.Env.Args[0]
		}
		if meant && group.id != "care" { // some of its commands describe all others
			return root
		}
	}
	root.AddCommand(topics()...)
	return root
}
