package write

import (
	"bytes"
	"errors"
	"path"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

// runEditor opens a copy of the page in the person's editor and saves what they
// made of it, unless the page has changed meanwhile. Text that cannot be saved
// stays in the copy.
func runEditor(cmd *cobra.Command, p *command.Program, o *editOptions) error {
	editor, err := command.EditorOf(cmd, p, "no flag for a change, and no editor: VISUAL and EDITOR are not set")
	if err != nil {
		return err
	}
	opts, err := o.Options(cmd)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	return p.WithApp(ctx, command.Synced, func(a *memory.Session) (err error) {
		old, err := read.Get(ctx, a, read.GetRequest{Ref: o.ref})
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
		text, err := command.Edited(ctx, p, c, editor, old.Bytes)
		if err != nil {
			return err
		}
		if bytes.Equal(text, old.Bytes) {
			p.Note("no change to %s", old.Ref)
			return c.Remove(ctx)
		}
		w, err := change.EditText(ctx, a, change.EditTextRequest{WriteOptions: opts, Ref: string(old.ID), Part: old.Part, Text: text})
		if err != nil {
			return command.KeptCopy(c, err)
		}
		if err := errors.Join(p.Written(w), c.Remove(ctx)); err != nil {
			return err
		}
		return p.EmbedWritten(ctx, a, w, o.Wait)
	})
}
