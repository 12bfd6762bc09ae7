package command

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// UsageError reports an invalid command line with its usage and one example.
func UsageError(cmd *cobra.Command, format string, args ...any) *kb.Error {
	hint := "usage: " + cmd.UseLine()
	if example, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n"); example != "" {
		hint += "\nexample: " + example
	}
	return kb.Errorf(kb.Usage, format, args...).WithHint("%s", hint)
}

// Conflict refuses two flags of which only one may be given.
func Conflict(cmd *cobra.Command, one, other string) error {
	if cmd.Flags().Changed(one) && cmd.Flags().Changed(other) {
		return UsageError(cmd, "--%s conflicts with --%s", one, other)
	}
	return nil
}

// FlagError reports an invalid flag. For a value that is not a number it omits
// the text of the parsing function.
func FlagError(cmd *cobra.Command, err error) error {
	var (
		invalid *pflag.InvalidValueError
		unknown *pflag.NotExistError
		none    *pflag.InvalidSyntaxError // "---", as documents begin
	)
	// "- a list item", "-x or y"
	text := errors.As(err, &unknown) && strings.ContainsAny(unknown.GetSpecifiedName()+unknown.GetSpecifiedShortnames(), " \t\n")
	if text || errors.As(err, &none) {
		return UsageError(cmd, "a text that begins with - looks like a flag: put -- before it")
	}
	if unknown != nil {
		return unknownFlag(cmd, unknown)
	}
	if !errors.As(err, &invalid) {
		return UsageError(cmd, "%s", err.Error())
	}
	takes := map[string]string{"int": "a whole number", "float64": "a number", "bool": "true or false"}[invalid.GetFlag().Value.Type()]
	if takes == "" {
		return UsageError(cmd, "%s", err.Error())
	}
	if errors.Is(err, strconv.ErrRange) {
		takes = "a smaller number"
	}
	return UsageError(cmd, "--%s takes %s, not %q", invalid.GetFlag().Name, takes, invalid.GetValue())
}

// unknownFlag reports a flag that a command does not have, and one of almost the same name.
func unknownFlag(cmd *cobra.Command, err *pflag.NotExistError) error {
	e := UsageError(cmd, "%s", err.Error())
	given := err.GetSpecifiedName()
	if err.GetSpecifiedShortnames() != "" || len(given) < 3 {
		return e
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	near := operation.Nearest(given, names)
	if near == "" {
		return e
	}
	return e.WithHint("Did you mean --%s?\n%s", near, e.Hint).With("suggestions", []string{"--" + near})
}

// Need takes the arguments that a command's names, required ones first; the
// names in brackets may be missing. "REF", "[STATE]" takes one or two.
func Need(names ...string) cobra.PositionalArgs {
	required := 0
	for _, n := range names {
		if !strings.HasPrefix(n, "[") {
			required++
		}
	}
	many := len(names) > 0 && strings.Contains(names[len(names)-1], "...")
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < required:
			return UsageError(cmd, "%s needs %s", cmd.CommandPath(), strings.Join(names[len(args):required], " and "))
		case len(args) > len(names) && len(names) == 0:
			return UsageError(cmd, "%s takes no arguments, but has %q", cmd.CommandPath(), args[0])
		case len(args) > len(names) && !many:
			return UsageError(cmd, "%s does not take %q", cmd.CommandPath(), args[len(names)]).
				With("extra", args[len(names):])
		}
		return nil
	}
}

// AtLeast takes n arguments or more.
func AtLeast(n int, name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return UsageError(cmd, "%s needs %s", cmd.CommandPath(), name)
		}
		return nil
	}
}

// OneOf refuses two flags that replace each other.
func OneOf(cmd *cobra.Command, a, b string) error {
	if cmd.Flags().Changed(a) && cmd.Flags().Changed(b) {
		return UsageError(cmd, "--%s replaces --%s: give one of them", b, a)
	}
	return nil
}

// Subcommand refuses the argument of a command that only holds others, and
// says which was probably meant.
func Subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := kb.Errorf(kb.Usage, "unknown command %q", cmd.CommandPath()+" "+args[0])
	if cmds := meant(cmd, args[0]); len(cmds) > 0 {
		names := make([]string, len(cmds))
		for i, c := range cmds {
			names[i] = strings.TrimPrefix(c.CommandPath(), cmd.CommandPath()+" ")
		}
		return err.WithHint("%s", meaning(cmds)).With("suggestions", names)
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 && args[0] != "" {
		return err.WithHint("Did you mean %s?", strings.Join(near, " or ")).With("suggestions", near)
	}
	return err.WithHint("%s --help lists the commands.", cmd.CommandPath())
}

// Group makes a command that only holds others. Alone it is its list, if it has
// one.
func Group(cmd *cobra.Command, children ...*cobra.Command) *cobra.Command {
	cmd.Args = Subcommand
	cmd.SuggestionsMinimumDistance = 2
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		for _, c := range children {
			if c.Name() == "list" {
				c.SetContext(cmd.Context())
				return c.RunE(c, nil)
			}
		}
		names := make([]string, len(children))
		for i, c := range children {
			names[i] = c.Name()
		}
		return kb.Errorf(kb.Usage, "%s needs a command", cmd.CommandPath()).
			WithHint("Commands are %s.\nexample: %s", strings.Join(names, ", "), firstLine(children[0].Example))
	}
	cmd.AddCommand(children...)
	return cmd
}

// Alias makes an older name of a flag work as it did, without help.
func Alias(cmd *cobra.Command, old, name string) {
	f := *cmd.Flags().Lookup(name)
	f.Name, f.Hidden = old, true
	cmd.Flags().AddFlag(&f)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// ParseVersion reads a version as "3" or "v3".
func ParseVersion(s string) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(s, "v"))
	if err != nil || n < 1 {
		return 0, kb.Errorf(kb.Usage, "%q is not a version", s).
			WithHint("Versions count from 1; cairn history REF lists them.")
	}
	return n, nil
}

// LineRange reads "10", "10:20", "10:" and ":20" as 1-based lines, 0 for an
// open end.
func LineRange(s string) (from, to int, err error) {
	first, last, isRange := strings.Cut(s, ":")
	if !isRange {
		last = first
	}
	read := func(part string) int {
		if part == "" {
			return 0
		}
		n, convErr := strconv.Atoi(part)
		if convErr != nil || n < 1 {
			err = kb.Errorf(kb.Usage, "%q is not a range of lines", s).WithHint("Write them like 10:20, 10: or :20.")
		}
		return n
	}
	if from, to = read(first), read(last); err == nil && to != 0 && from > to {
		err = kb.Errorf(kb.Usage, "the lines %s end before they begin", s).WithHint("Write them like 10:20, 10: or :20.")
	}
	return from, to, err
}

// Paging are the flags of lists.
type Paging struct{ Show, Skip int }

// AddFlags adds them to a command that shows at most limit.
func (g *Paging) AddFlags(cmd *cobra.Command, limit int) {
	cmd.Flags().IntVarP(&g.Show, "limit", "n", limit, "show at most this `number`")
	cmd.Flags().IntVar(&g.Skip, "offset", 0, "skip this `number` of results")
}

// Check refuses numbers that make no list.
func (g *Paging) Check() error {
	switch {
	case g.Show < 1:
		return kb.Errorf(kb.Usage, "invalid --limit %d: must be at least 1", g.Show)
	case g.Skip < 0:
		return kb.Errorf(kb.Usage, "invalid --offset %d: must not be negative", g.Skip)
	}
	return nil
}

// Second returns the second argument, if there is one.
func Second(args []string) *string {
	if len(args) < 2 {
		return nil
	}
	return &args[1]
}
