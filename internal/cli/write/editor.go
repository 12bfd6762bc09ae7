package write

import (
	"bytes"
	"context"
	"errors"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/cli/command"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/terminal"
)

// runEditor opens a copy of the page in the person's editor and saves what
// they made of it, unless the page has changed meanwhile. Whatever cannot be
// saved stays in the copy.
func runEditor(cmd *cobra.Command, p *command.Program, o *editOptions) error {
	editor, err := editorOf(cmd, p)
	if err != nil {
		return err
	}
	opts, err := o.Options(cmd)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	return p.WithApp(ctx, command.Synced, func(a *app.App) (err error) {
		old, err := a.Get(ctx, app.GetRequest{Ref: o.ref})
		if err != nil {
			return err
		}
		if old.Bytes == nil {
			old.Bytes = []byte(old.Text)
		}
		if opts.Expected == nil {
			opts.Expected = &old.Version
		}
		c, err := terminal.NewCopy(ctx, p.Env.TempDir, path.Base(old.Path), old.Bytes)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, c.Close()) }()
		text, err := edited(ctx, p, c, editor, old.Bytes)
		if err != nil {
			return err
		}
		if bytes.Equal(text, old.Bytes) {
			p.Note("no change to %s", old.Ref)
			return c.Remove(ctx)
		}
		w, err := a.EditText(ctx, app.EditTextRequest{WriteOptions: opts, Ref: string(old.ID), Part: old.Part, Text: text})
		if err != nil {
			return kept(c, err)
		}
		if err := errors.Join(p.Written(w), c.Remove(ctx)); err != nil {
			return err
		}
		return p.EmbedWritten(ctx, a, w, o.Wait)
	})
}

// editorOf returns the person's editor as they configured it.
func editorOf(cmd *cobra.Command, p *command.Program) (string, error) {
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
		return "", command.UsageError(cmd, "no flag says what to change, and there is no editor: VISUAL and EDITOR are not set")
	}
	return editor, nil
}

// edited runs the editor and returns what it left. A copy that is as it was is
// removed where the editor failed.
func edited(ctx context.Context, p *command.Program, c *terminal.Copy, editor string, old []byte) ([]byte, error) {
	failed := terminal.RunEditor(ctx, editor, c.Path(), command.Streams(p))
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
	return nil, kept(c, failed)
}

// kept adds to an error where the text is that could not be saved.
func kept(c *terminal.Copy, err error) error {
	e := kb.Errorf(kb.Internal, "%w", err) // of an error without a hint, such as that of a context
	if known := (*kb.Error)(nil); errors.As(err, &known) {
		*e = *known
	}
	where := "Nothing was changed. Your text is in " + c.Path()
	if hint := command.HintOf(e); hint != "" {
		where = hint + "\n" + where
	}
	return e.WithHint("%s", where).With("file", c.Path())
}
