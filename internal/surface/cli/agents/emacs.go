package agents

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/emacs"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

func newEmacs(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "emacs",
		Short: "Print cairn.el, the client for Emacs",
		Long: `Print cairn.el, the client for Emacs 27.1 and later: notes are checked and
committed when they are saved, org-roam is switched to the space and back, and
commands search and browse it. Save it where Emacs looks for packages, and
require it; see docs/emacs.md.`,
		Example: `  mkdir -p ~/.emacs.d/lisp && cairn emacs > ~/.emacs.d/lisp/cairn.el`,
		Args:    command.Need(),
		RunE: func(*cobra.Command, []string) error {
			client := emacs.Client()
			return p.Content(client, struct {
				Text string `json:"text"`
			}{client}, command.PlainText)
		},
	}
}
