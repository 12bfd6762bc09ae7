package command

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

// Input is where a command's text comes from: an argument, --file, or
// standard input.
type Input struct {
	File  string
	Taken bool // standard input can be read once only
}

// AddFlags adds --file to a command; what names the text that it reads.
func (in *Input) AddFlags(cmd *cobra.Command, what string) {
	cmd.Flags().StringVarP(&in.File, "file", "F", "", "read "+what+" from this `file`, or from standard input when it is -")
}

// ReadText returns the text: of the argument unless it is "-" or missing, else of
// --file, else of standard input. It never waits for a person at a terminal
// who did not ask for that with "-".
func (in *Input) ReadText(ctx context.Context, p *Program, cmd *cobra.Command, arg *string) ([]byte, error) {
	switch {
	case arg != nil && *arg != "-" && in.File != "":
		return nil, UsageError(cmd, "the text comes twice: as an argument and with --file")
	case arg != nil && *arg != "-":
		return []byte(*arg), nil
	case in.File != "" && in.File != "-":
		return in.readFile(p)
	case arg == nil && in.File == "" && p.Env.StdinTTY:
		return nil, UsageError(cmd, "no text: give it as an argument, with --file, or on standard input")
	case in.Taken:
		return nil, UsageError(cmd, "standard input can give its text only once")
	}
	in.Taken = true
	p.waiting.End()
	return terminal.ReadAll(ctx, p.Env.Stdin)
}

// IsFile reports whether an argument for a text names a file instead.
func (in *Input) IsFile(p *Program, arg string) bool {
	if arg == "" || arg == "-" || in.File != "" || strings.ContainsAny(arg, "\r\n") {
		return false
	}
	if !filepath.IsAbs(arg) {
		arg = filepath.Join(p.Env.Dir, arg)
	}
	info, err := os.Stat(arg)
	return err == nil && info.Mode().IsRegular()
}

func (in *Input) readFile(p *Program) ([]byte, error) {
	path := in.File
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.Env.Dir, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, kb.Errorf(kb.Usage, "cannot read %s: %w", in.File, err)
	}
	text, err := terminal.Limited(f)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, kb.Errorf(kb.Usage, "cannot read %s: %w", in.File, err)
	}
	return text, nil
}
