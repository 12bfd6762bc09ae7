package cli

import (
	"embed"

	"github.com/spf13/cobra"
)

//go:embed topics/*.txt
var topicTexts embed.FS

// topics returns the help topics: commands that only have help.
func topics() []*cobra.Command {
	var list []*cobra.Command
	for _, t := range []struct{ name, short string }{
		{"refs", "How to name a page"},
		{"search-language", "Phrases, filters and the like in search and query"},
		{"dates", "How to write dates and times"},
		{"output", "Text, JSON and what a program can rely on"},
		{"exit-codes", "What exit codes and errors mean"},
		{"environment", "Variables, settings and files"},
	} {
		text, err := topicTexts.ReadFile("topics/" + t.name + ".txt")
		if err != nil {
			panic(err) // embedded, and tested
		}
		list = append(list, &cobra.Command{Use: t.name, Short: t.short, Long: string(text)})
	}
	return list
}
