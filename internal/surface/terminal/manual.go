package terminal

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Man renders a command's help as roff. It says nothing that help does
// not say and holds no date, so that builds are reproducible.
func Man(c *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH \"%s\" \"1\" \"\" \"cairn\" \"cairn manual\"\n", roff(strings.ToUpper(FileName(c))))
	section := func(title, body string) {
		if body != "" {
			fmt.Fprintf(&b, ".SH %s\n%s", title, body)
		}
	}
	section("NAME", fmt.Sprintf("%s \\- %s\n", roff(FileName(c)), roff(c.Short)))
	if !c.IsAdditionalHelpTopicCommand() {
		section("SYNOPSIS", fmt.Sprintf(".B %s\n", roff(c.UseLine())))
	}
	section("DESCRIPTION", roffText(c.Long))
	section("COMMANDS", roffCommands(c))
	section("OPTIONS", roffFlags(c.NonInheritedFlags()))
	section("GLOBAL OPTIONS", roffFlags(c.InheritedFlags()))
	if c.HasExample() {
		section("EXAMPLES", ".nf\n"+roffLines(c.Example)+".fi\n")
	}
	if c.HasParent() {
		section("SEE ALSO", fmt.Sprintf(".BR %s (1)\n", roff(FileName(c.Parent()))))
	}
	return b.String()
}

// roff escapes one line of text.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, `"`, `\(dq`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

func roffLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(roff(strings.TrimRight(line, "\n")) + "\n")
	}
	return b.String()
}

// roffText renders help text: indented lines verbatim, others filled.
func roffText(text string) string {
	var b strings.Builder
	asIs := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if indented := strings.HasPrefix(line, "  "); line != "" && indented != asIs {
			asIs = indented
			b.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[asIs])
		}
		if line == "" {
			b.WriteString(".PP\n")
		} else {
			b.WriteString(roff(line) + "\n")
		}
	}
	if asIs {
		b.WriteString(".fi\n")
	}
	return b.String()
}

func roffCommands(c *cobra.Command) string {
	var b strings.Builder
	for _, child := range c.Commands() {
		if child.IsAvailableCommand() && child.Name() != "help" {
			fmt.Fprintf(&b, ".TP\n.BR %s (1)\n%s\n", roff(FileName(child)), roff(child.Short))
		}
	}
	return b.String()
}

func roffFlags(f *pflag.FlagSet) string {
	var b strings.Builder
	f.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			name, usage := flagName(f)
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(name), roff(usage))
		}
	})
	return b.String()
}

// flagName shows a flag as it is typed, and what it does.
func flagName(f *pflag.Flag) (name, usage string) {
	value, usage := pflag.UnquoteUsage(f)
	name = "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if value != "" {
		name += " " + value
	}
	switch f.DefValue {
	case "", "0", "false", "[]":
		return name, usage
	}
	return name, fmt.Sprintf("%s (default: %s)", usage, f.DefValue)
}

// Markdown renders a command's help as a page of docs/cli.
func Markdown(c *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s.\n", typed(c), c.Short)
	if !c.IsAdditionalHelpTopicCommand() {
		fmt.Fprintf(&b, "\n```\n%s\n```\n", c.UseLine())
	}
	fmt.Fprintf(&b, "\n%s\n", markdownText(c.Long))
	if c.HasExample() {
		fmt.Fprintf(&b, "\n## Examples\n\n```sh\n%s\n```\n", unindent(c.Example))
	}
	markdownCommands(&b, c)
	markdownFlags(&b, "Flags", c.NonInheritedFlags())
	if c.HasParent() {
		if c.HasInheritedFlags() {
			fmt.Fprintf(&b, "\nGlobal flags: see [cairn](cairn.md).\n")
		}
		fmt.Fprintf(&b, "\nUp: [%s](%s.md)\n", c.Parent().CommandPath(), FileName(c.Parent()))
	}
	return b.String()
}

// typed is what shows the command's help, or runs it.
func typed(c *cobra.Command) string {
	if c.IsAdditionalHelpTopicCommand() {
		return c.Parent().CommandPath() + " help " + c.Name()
	}
	return c.CommandPath()
}

// markdownText renders help text: indented lines as code.
func markdownText(text string) string {
	var out []string
	code := false
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		indented := strings.HasPrefix(line, "  ") || code && line == "" && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "  ")
		if indented != code {
			code = indented
			if !code && line == "" {
				out = append(out, "```", "")
				continue
			}
			out = append(out, "```")
		}
		if code {
			line = strings.TrimPrefix(line, "  ")
		}
		out = append(out, line)
	}
	if code {
		out = append(out, "```")
	}
	return strings.Join(out, "\n")
}

// unindent takes away the two spaces before each line of an example.
func unindent(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		out = append(out, strings.TrimPrefix(strings.TrimRight(line, "\n"), "  "))
	}
	return strings.Join(out, "\n")
}

func markdownCommands(b *strings.Builder, c *cobra.Command) {
	list := func(title string, match func(*cobra.Command) bool) {
		for _, child := range c.Commands() {
			if !match(child) || child.Name() == "help" {
				continue
			}
			if title != "" {
				fmt.Fprintf(b, "\n## %s\n\n", title)
				title = ""
			}
			fmt.Fprintf(b, "- [%s](%s.md): %s\n", typed(child), FileName(child), child.Short)
		}
	}
	for _, g := range c.Groups() {
		list(strings.TrimSuffix(g.Title, ":"), func(c *cobra.Command) bool { return c.GroupID == g.ID && c.IsAvailableCommand() })
	}
	list("Commands", func(c *cobra.Command) bool { return c.GroupID == "" && c.IsAvailableCommand() })
	list("Topics", (*cobra.Command).IsAdditionalHelpTopicCommand)
}

func markdownFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		if title != "" {
			fmt.Fprintf(b, "\n## %s\n\n", title)
			title = ""
		}
		name, usage := flagName(f)
		fmt.Fprintf(b, "- `%s`: %s\n", name, usage)
	})
}

// FileName is what the page of a command is called, without an extension.
func FileName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// Commands lists the commands and help topics that have a page, root first.
func Commands(root *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{root}
	for _, c := range root.Commands() {
		if (c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand()) && c.Name() != "help" {
			list = append(list, Commands(c)...)
		}
	}
	return list
}
