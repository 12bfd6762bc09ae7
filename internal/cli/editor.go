package cli

import (
	"bytes"
	"context"
	"errors"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/terminal"
)

// runEditor opens a copy of the page in the person's editor and saves what
// they made of it, unless the page has changed meanwhile. Whatever cannot be
// saved stays in the copy.
func runEditor(cmd *cobra.Command, p *program, o *editOptions) error {
	editor, err := p.editor(cmd)
	if err != nil {
		return err
	}
	opts, err := o.options(cmd)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	return p.withApp(ctx, synced, func(a *app.App) (err error) {
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
		c, err := terminal.NewCopy(ctx, p.env.TempDir, path.Base(old.Path), old.Bytes)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, c.Close()) }()
		text, err := edited(ctx, p, c, editor, old.Bytes)
		if err != nil {
			return err
		}
		if bytes.Equal(text, old.Bytes) {
			p.note("no change to %s", old.Ref)
			return c.Remove(ctx)
		}
		w, err := a.EditText(ctx, app.EditTextRequest{WriteOptions: opts, Ref: string(old.ID), Part: old.Part, Text: text})
		if err != nil {
			return kept(c, err)
		}
		if err := errors.Join(p.written(w), c.Remove(ctx)); err != nil {
			return err
		}
		return p.embedWritten(ctx, a, w, o.wait)
	})
}

// editor returns the person's editor as they configured it.
func (p *program) editor(cmd *cobra.Command) (string, error) {
	editor, err := p.setting("editor")
	if err != nil {
		return "", err
	}
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if editor == "" {
			editor = p.env.Getenv(name)
		}
	}
	if strings.TrimSpace(editor) == "" {
		return "", usageError(cmd, "no flag says what to change, and there is no editor: VISUAL and EDITOR are not set")
	}
	return editor, nil
}

// edited runs the editor and returns what it left. A copy that is as it was is
// removed where the editor failed.
func edited(ctx context.Context, p *program, c *terminal.Copy, editor string, old []byte) ([]byte, error) {
	failed := terminal.RunEditor(ctx, editor, c.Path(), streams(p))
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
	if hint := hintOf(e); hint != "" {
		where = hint + "\n" + where
	}
	return e.WithHint("%s", where).With("file", c.Path())
}
