package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/kb"
)

// maxCompletions bounds what a shell is offered at once.
const maxCompletions = 100

// completer is what cobra asks for the words that may follow.
type completer = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective)

// refs completes the first n arguments as refs; n < 0 is all of them. Errors
// offer nothing: a shell has no place for them.
func (p *program) refs(n int) completer {
	return func(cmd *cobra.Command, args []string, typed string) (found []string, _ cobra.ShellCompDirective) {
		if n >= 0 && len(args) >= n {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		p.offer(cmd, func(a *app.App) (err error) {
			found, _, err = a.Refs(cmd.Context(), typed, maxCompletions, true)
			return err
		})
		return typeable(found), cobra.ShellCompDirectiveNoFileComp
	}
}

// typeable leaves out words that a shell would show as they are and that a
// terminal would obey. Nobody types them.
func typeable(words []string) []string {
	return slices.DeleteFunc(words, func(word string) bool { return cleanLine(word) != word })
}

// spaces completes the first argument as the name of a space.
func (p *program) spaces(cmd *cobra.Command, args []string, typed string) (found []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return p.spaceNames(cmd, typed), cobra.ShellCompDirectiveNoFileComp
}

func (p *program) spaceNames(cmd *cobra.Command, typed string) (found []string) {
	p.offer(cmd, func(a *app.App) error {
		all, err := a.Spaces().List(cmd.Context())
		for _, s := range all {
			if strings.HasPrefix(s.Name, typed) {
				found = append(found, s.Name)
			}
		}
		return err
	})
	return typeable(found)
}

// offer asks a memory that exists, in silence.
func (p *program) offer(cmd *cobra.Command, ask func(*app.App) error) {
	p.flags.quiet = true
	if p.flags.check() != nil {
		return
	}
	if p.flags.in != "" {
		return // pressing a key must not attach anything
	}
	// A failure leaves what was found so far, which is nothing.
	_ = p.withApp(cmd.Context(), existing, ask)
}

// completeFlags completes the values of the global flags.
func (p *program) completeFlags(root *cobra.Command) {
	complete(root, "space", func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return p.spaceNames(cmd, typed), cobra.ShellCompDirectiveNoFileComp
	})
	complete(root, "in", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	})
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = string(f)
	}
	complete(root, "format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	complete(root, "actor", cobra.NoFileCompletions)
}

// complete registers a completion for a flag that the command has.
func complete(cmd *cobra.Command, flag string, how completer) {
	if err := cmd.RegisterFlagCompletionFunc(flag, how); err != nil {
		panic(err) // the flag is named in this package
	}
}

// statuses completes a page's status.
func statuses() []string {
	names := make([]string, len(kb.Statuses))
	for i, s := range kb.Statuses {
		names[i] = string(s)
	}
	return names
}
