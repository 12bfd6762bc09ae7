package command

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

// EditorOf returns the person's editor as they configured it; missing says that there is
// none.
func EditorOf(cmd *cobra.Command, p *Program, missing string) (string, error) {
	editor, err := p.Setting("editor")
	if err != nil {
		return "", err
	}
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if editor == "" {
			editor = p.Env.Getenv(name)
		}
	}
	if strings.TrimSpace(editor) == "" {
		return "", UsageError(cmd, "%s", missing)
	}
	return editor, nil
}

// Edited runs the editor and returns what it left. A copy that is as it was is
// removed where the editor failed.
func Edited(ctx context.Context, p *Program, c *terminal.Copy, editor string, old []byte) ([]byte, error) {
	failed := terminal.RunEditor(ctx, editor, c.Path(), Streams(p))
	text, err := c.Read(ctx)
	switch {
	case failed == nil:
		return text, err
	case err == nil && bytes.Equal(text, old):
		if err := c.Remove(ctx); err != nil {
			return nil, err
		}
		return nil, failed
	}
	return nil, KeptCopy(c, failed)
}

// KeptCopy adds to an error where the text is that could not be saved.
func KeptCopy(c *terminal.Copy, err error) error {
	e := kb.Errorf(kb.Internal, "%w", err) // of an error without a hint, such as that of a context
	if known := (*kb.Error)(nil); errors.As(err, &known) {
		*e = *known
	}
	where := "Nothing was changed. Your text is in " + c.Path()
	if hint := HintOf(e); hint != "" {
		where = hint + "\n" + where
	}
	return e.WithHint("%s", where).With("file", c.Path())
}
