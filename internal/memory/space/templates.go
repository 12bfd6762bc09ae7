package space

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
)

// templateDir is the directory with the templates of a directory space.
const templateDir = ".cairn/templates"

// maxTemplate bounds a template, in bytes.
const maxTemplate = 1 << 20

// Template is a template in the directory of a space.
type Template struct {
	File     string // its name with the extension
	Text     []byte
	Accepted bool // by a person, in its present state; otherwise it has no effect
}

// Templates returns the templates in the directory of a space, in order.
func Templates(ctx context.Context, s *write.Space) ([]Template, error) {
	if s.Files == nil {
		return nil, nil
	}
	all, err := templatesIn(ctx, s.Files)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	var accepted []string
	if s.Accepted != nil {
		if accepted, err = s.Accepted(ctx, kb.TemplatesPart); err != nil {
			return nil, err
		}
	}
	for i, t := range all {
		all[i].Accepted = s.Accepted == nil || slices.Contains(accepted, t.found().hash)
	}
	return all, nil
}

// templatesIn reads the templates in a directory, accepted or not.
func templatesIn(ctx context.Context, files fsys.FS) (all []Template, err error) {
	entries, err := files.ReadDir(templateDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fsys.Explain(err, "list %s", templateDir)
	}
	for _, e := range entries {
		if ext := path.Ext(e.Name()); e.IsDir() || ext != ".md" && ext != ".org" {
			continue
		}
		text, _, err := fsys.ReadFile(ctx, files, path.Join(templateDir, e.Name()), maxTemplate)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsys.ErrNotRegular) {
			continue
		}
		if err != nil {
			return nil, fsys.Explain(err, "read the template %s", path.Join(templateDir, e.Name()))
		}
		all = append(all, Template{File: e.Name(), Text: text})
	}
	return all, nil
}

func (t Template) found() found {
	return found{t.File, hashOf(fmt.Appendf(nil, "%s\x00%s", t.File, t.Text))}
}
