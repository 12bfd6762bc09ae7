package space

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
)

// The directory that Obsidian keeps in a vault, and its file with the settings of links.
const (
	obsidianDir      = ".obsidian"
	obsidianSettings = ".obsidian/app.json"
)

// written returns the syntax of the notes in a directory: that of the policy, else
// Obsidian's with the settings of the vault. They only decide where links lead and how new
// ones are written. files is nil for a space in the database.
func written(ctx context.Context, pol *policy.Policy, files fsys.FS) (kb.Syntax, error) {
	if pol.Syntax != "" || files == nil {
		return pol.Written(), nil
	}
	text, _, err := fsys.ReadFile(ctx, files, obsidianSettings, maxMark)
	if errors.Is(err, fs.ErrNotExist) {
		info, err := files.Lstat(obsidianDir)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
			return pol.Written(), nil
		}
		if err != nil { // links would be written in another form
			return "", fsys.Explain(err, "read %s", obsidianDir)
		}
	} else if err != nil && ctx.Err() != nil {
		return "", err
	}
	var settings struct {
		NewLinkFormat    string
		UseMarkdownLinks bool
	}
	_ = json.Unmarshal(text, &settings) // as in Obsidian, a file that cannot be read leaves the defaults
	return kb.Obsidian(settings.NewLinkFormat, settings.UseMarkdownLinks), nil
}

// readAs sets how the documents of a new space are read.
func (r *Registry) readAs(ctx context.Context, s *kb.Space) (err error) {
	var files fsys.FS
	if s.Kind == kb.DirectorySpace {
		dir, err := openRoot(*s)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, dir.Close()) }()
		files = r.files(dir)
	}
	pol, _, err := r.Policy(ctx, *s, files)
	if err != nil {
		return err
	}
	s.Filing = pol.Filing()
	s.Syntax, err = written(ctx, pol, files)
	return err
}
