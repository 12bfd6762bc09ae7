package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
)

// MaxCompletions bounds what a shell is offered at once.
const MaxCompletions = 100

// Completer is what cobra asks for the words that may follow.
type Completer = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective)

// Refs completes the first n arguments as refs; n < 0 is all of them. Errors
// offer nothing: a shell has no place for them.
func (p *Program) Refs(n int) Completer {
	return func(cmd *cobra.Command, args []string, typed string) (found []string, _ cobra.ShellCompDirective) {
		if n >= 0 && len(args) >= n {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		p.Offer(cmd, func(a *memory.Session) (err error) {
			found, _, err = a.Refs.Complete(cmd.Context(), typed, MaxCompletions, true)
			return err
		})
		return typeable(found), cobra.ShellCompDirectiveNoFileComp
	}
}

// typeable leaves out words that a shell would show as they are and that a
// terminal would obey. Nobody types them.
func typeable(words []string) []string {
	return slices.DeleteFunc(words, func(word string) bool { return safetext.Line(word) != word })
}

// Spaces completes the first argument as the name of a space.
func (p *Program) Spaces(cmd *cobra.Command, args []string, typed string) (found []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return p.SpaceNames(cmd, typed), cobra.ShellCompDirectiveNoFileComp
}

// SpaceNames returns the names of spaces that start with the typed text.
func (p *Program) SpaceNames(cmd *cobra.Command, typed string) (found []string) {
	p.Offer(cmd, func(a *memory.Session) error {
		all, err := a.Spaces.List(cmd.Context())
		for _, s := range all {
			if strings.HasPrefix(s.Name, typed) {
				found = append(found, s.Name)
			}
		}
		return err
	})
	return typeable(found)
}

// Offer asks a memory that exists, in silence.
func (p *Program) Offer(cmd *cobra.Command, ask func(*memory.Session) error) {
	p.Flags.Quiet = true
	if p.Flags.check() != nil {
		return
	}
	if p.Flags.In != "" {
		return // pressing a key must not attach anything
	}
	// On failure the names found so far are used, which are none.
	_ = p.WithApp(cmd.Context(), Existing, ask)
}

// completeFlags completes the values of the global flags.
func (p *Program) completeFlags(root *cobra.Command) {
	Complete(root, "space", func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return p.SpaceNames(cmd, typed), cobra.ShellCompDirectiveNoFileComp
	})
	Complete(root, "in", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	})
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = string(f)
	}
	Complete(root, "format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	Complete(root, "actor", cobra.NoFileCompletions)
}

// Complete registers a completion for a flag that the command has.
func Complete(cmd *cobra.Command, flag string, how Completer) {
	if err := cmd.RegisterFlagCompletionFunc(flag, how); err != nil {
		panic(err) // the flag is named in this package
	}
}

// Statuses completes a page's status.
func Statuses() []string {
	names := make([]string, len(kb.Statuses))
	for i, s := range kb.Statuses {
		names[i] = string(s)
	}
	return names
}
