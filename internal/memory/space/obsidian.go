package space

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
)

// Obsidian's directory in a vault, and its files with the settings of links and of
// daily notes.
const (
	obsidianDir      = ".obsidian"
	obsidianSettings = ".obsidian/app.json"
	obsidianDays     = ".obsidian/daily-notes.json"
)

// written returns the syntax of the notes in a directory: that of the policy, else
// Obsidian's with the settings of the vault. They determine how links resolve, how
// new links are written, and the day of a daily note. files is nil for a space in
// the database.
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
	_ = json.Unmarshal(text, &settings) // as in Obsidian, defaults apply for an unreadable file
	days, err := dayNotes(ctx, files)
	return kb.Obsidian(settings.NewLinkFormat, settings.UseMarkdownLinks, days), err
}

// dayNotes returns the path of daily notes as a format, "" for file names that are
// ISO dates.
func dayNotes(ctx context.Context, files fsys.FS) (string, error) {
	text, _, err := fsys.ReadFile(ctx, files, obsidianDays, maxMark)
	if err != nil {
		if ctx.Err() != nil {
			return "", err
		}
		return "", nil
	}
	var settings struct{ Folder, Format string }
	_ = json.Unmarshal(text, &settings)
	if settings.Format == "" || strings.HasSuffix(settings.Format, "YYYY-MM-DD") {
		return "", nil
	}
	folder := path.Clean("/" + settings.Folder)[1:]
	return strings.TrimPrefix(doc.Literally(folder)+"/"+settings.Format, "/"), nil
}

// readAs sets the syntax of a new space.
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
