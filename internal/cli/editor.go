package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/fsys"
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
		c, err := p.copyOut(ctx, old)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, c.dir.Close()) }()
		text, err := c.edited(ctx, p, editor, old.Bytes)
		if err != nil {
			return err
		}
		if bytes.Equal(text, old.Bytes) {
			p.note("no change to %s", old.Ref)
			return c.remove(ctx)
		}
		w, err := a.EditText(ctx, app.EditTextRequest{WriteOptions: opts, Ref: string(old.ID), Text: text})
		if err != nil {
			return c.kept(err)
		}
		if err := errors.Join(p.written(w), c.remove(ctx)); err != nil {
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

// workCopy is the file that an editor opens.
type workCopy struct {
	dir  *fsys.Dir
	name string
}

// copyOut writes the page to a new file that only its owner can read.
func (p *program) copyOut(ctx context.Context, text app.Text) (*workCopy, error) {
	dir, err := fsys.OpenDir(p.env.TempDir)
	if err != nil {
		return nil, fsys.Explain(err, "open %s", p.env.TempDir)
	}
	base := strings.TrimSuffix(path.Base(text.Path), path.Ext(text.Path))
	for n := 1; ; n++ {
		c := &workCopy{dir: dir, name: fmt.Sprintf("cairn-%s-%d%s", base, n, path.Ext(text.Path))}
		err := fsys.WriteAtomic(ctx, dir, c.name, text.Bytes, fsys.Absent(), fsys.WriteOptions{Perm: 0o600})
		if err == nil {
			return c, nil
		}
		taken := errors.Is(err, fs.ErrExist) || errors.Is(err, fsys.ErrChanged)
		if !taken || n == 100 { // so many copies were kept after conflicts
			return nil, errors.Join(fsys.Explain(err, "write %s", c.path()), dir.Close())
		}
	}
}

func (c *workCopy) path() string { return filepath.Join(c.dir.Path(), c.name) }

// edited runs the editor and returns what it left. A copy that is as it was is
// removed where the editor failed.
func (c *workCopy) edited(ctx context.Context, p *program, editor string, old []byte) ([]byte, error) {
	failed := terminal.RunEditor(ctx, editor, c.path(), streams(p))
	text, _, err := fsys.ReadFile(context.WithoutCancel(ctx), c.dir, c.name, terminal.MaxInput)
	switch {
	case failed == nil && err == nil:
		return text, nil
	case failed == nil:
		return nil, fsys.Explain(err, "read %s", c.path())
	case err == nil && bytes.Equal(text, old):
		if err := c.remove(ctx); err != nil {
			return nil, err
		}
		return nil, failed
	}
	return nil, c.kept(failed)
}

// kept adds to an error where the text is that could not be saved.
func (c *workCopy) kept(err error) error {
	e := kb.Errorf(kb.Internal, "%w", err) // of an error without a hint, such as that of a context
	if known := (*kb.Error)(nil); errors.As(err, &known) {
		*e = *known
	}
	where := "Nothing was changed. Your text is in " + c.path()
	if hint := hintOf(e); hint != "" {
		where = hint + "\n" + where
	}
	return e.WithHint("%s", where).With("file", c.path())
}

func (c *workCopy) remove(ctx context.Context) error {
	if err := fsys.RemoveDurable(context.WithoutCancel(ctx), c.dir, c.name, fsys.Any()); err != nil {
		return fsys.Explain(err, "remove %s", c.path())
	}
	return nil
}
