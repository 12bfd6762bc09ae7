package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/terminal"
)

// input is where a command's text comes from: an argument, --file, or
// standard input.
type input struct {
	file string
	read bool // standard input can be read once only
}

func (in *input) addFlags(cmd *cobra.Command, what string) {
	cmd.Flags().StringVarP(&in.file, "file", "F", "", "read "+what+" from this `file`, or from standard input when it is -")
}

// text returns the text: of the argument unless it is "-" or missing, else of
// --file, else of standard input. It never waits for a person at a terminal
// who did not ask for that with "-".
func (in *input) text(ctx context.Context, p *program, cmd *cobra.Command, arg *string) ([]byte, error) {
	switch {
	case arg != nil && *arg != "-" && in.file != "":
		return nil, usageError(cmd, "the text comes twice: as an argument and with --file")
	case arg != nil && *arg != "-":
		return []byte(*arg), nil
	case in.file != "" && in.file != "-":
		return in.readFile(p)
	case arg == nil && in.file == "" && p.env.StdinTTY:
		return nil, usageError(cmd, "there is no text: give it as an argument, with --file, or on standard input")
	case in.read:
		return nil, usageError(cmd, "standard input can give its text only once")
	}
	in.read = true
	return terminal.ReadAll(ctx, p.env.Stdin)
}

func (in *input) readFile(p *program) ([]byte, error) {
	path := in.file
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.env.Dir, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, kb.Errorf(kb.Usage, "cannot read %s: %w", in.file, err)
	}
	text, err := terminal.Limited(f)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, kb.Errorf(kb.Usage, "cannot read %s: %w", in.file, err)
	}
	return text, nil
}
