package space

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// TemplatesPart names the part of Waiting for the templates of a directory.
const TemplatesPart = "templates"

// templateDir is the directory in which a directory space keeps its templates.
const templateDir = ".cairn/templates"

// templatesKey is the prefix of settings with the hashes of the templates that a person
// accepted for the directory of a space, parted by spaces; the id of the space follows.
const templatesKey = "accepted_templates."

// maxTemplate bounds a template, in bytes.
const maxTemplate = 1 << 20

// Template is a template in the directory of a space.
type Template struct {
	File     string // its name with the extension
	Text     []byte
	Accepted bool // by a person, as it is; it does nothing otherwise
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
	accepted := ""
	if s.AcceptedTemplates != nil {
		if accepted, err = s.AcceptedTemplates(ctx); err != nil {
			return nil, err
		}
	}
	for i, t := range all {
		all[i].Accepted = s.AcceptedTemplates == nil || slices.Contains(strings.Fields(accepted), t.hash())
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

func (t Template) hash() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s", t.File, t.Text))
	return hex.EncodeToString(sum[:])
}

// acceptedTemplates returns the hashes of the templates that a person accepted for the
// directory of a space.
func (r *Registry) acceptedTemplates(ctx context.Context, id kb.ID) (hashes string, err error) {
	err = r.DB.View(ctx, func(tx store.Tx) error {
		hashes, err = tx.Settings().Get(ctx, templatesKey+string(id))
		return err
	})
	return hashes, err
}

// templatesOf reads the templates of a space that may not be open.
func (r *Registry) templatesOf(ctx context.Context, s kb.Space) (_ []Template, err error) {
	d, err := fsys.OpenDir(s.Root)
	if err != nil {
		return nil, fsys.Explain(err, "open %s", s.Root)
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return Templates(ctx, &write.Space{Files: r.files(d), AcceptedTemplates: func(ctx context.Context) (string, error) {
		return r.acceptedTemplates(ctx, s.ID)
	}})
}

// acceptTemplates accepts the templates that are in the directory of a space.
func (r *Registry) acceptTemplates(ctx context.Context, s kb.Space) error {
	all, err := r.templatesOf(ctx, s)
	if err != nil || !slices.ContainsFunc(all, func(t Template) bool { return !t.Accepted }) {
		return err
	}
	return r.DB.Update(ctx, func(tx store.Tx) error { return setTemplates(ctx, tx, s, all) })
}

func setTemplates(ctx context.Context, tx store.Tx, s kb.Space, all []Template) error {
	var hashes []string
	for _, t := range all {
		hashes = append(hashes, t.hash())
	}
	return tx.Settings().Set(ctx, templatesKey+string(s.ID), strings.Join(hashes, " "))
}

// waitingTemplates is the part that waits until a person accepts the templates in the
// directory of a space, nil for none.
func (r *Registry) waitingTemplates(ctx context.Context, s kb.Space) *kb.PolicyPart {
	all, _ := r.templatesOf(ctx, s) // an error is reported where they are used
	var names []string
	for _, t := range all {
		if !t.Accepted {
			names = append(names, t.File)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return &kb.PolicyPart{Name: TemplatesPart, Does: "make new pages of its templates: " + strings.Join(names, ", ")}
}
