package day

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Pattern is the location of daily notes, and the text of new ones.
type Pattern struct {
	Folder   string // "" for the root
	Format   string // of the file's name without extension, as doc.FormatTime reads it
	Ext      string // with the dot; "" for the extension of the space's new pages
	Template string // path of the template for new notes, the extension may be missing; "" for none
	Outline  bool   // text is a block of an outline

	InFolder bool   // use the folder of the space's new pages
	Text     string // of new ones, with the variables of Foam
	Title    string // of new ones in their metadata, as doc.FormatTime reads it; "" for none
	Heading  string // first heading of new ones, as doc.FormatTime reads it; "" for none
}

// Files with settings for the location of daily notes.
const (
	obsidianDir  = ".obsidian"
	obsidianFile = ".obsidian/daily-notes.json"
	logseqFile   = "logseq/config.edn"
)

// maxConfig bounds a configuration, in bytes.
const maxConfig = 1 << 20

// Read returns the pattern of a directory of notes; a nil tree has no
// configuration. An unreadable configuration is kb.Invalid.
func Read(ctx context.Context, files fsys.FS) (Pattern, error) {
	plain := Pattern{Folder: "daily", Format: "YYYY-MM-DD"}
	if files == nil {
		return plain, nil
	}
	text, err := readFile(ctx, files, obsidianFile)
	if err != nil || text != nil {
		p, perr := obsidian(text)
		return p, errors.Join(err, perr)
	}
	if text, err = readFile(ctx, files, logseqFile); err != nil || text != nil {
		return logseq(string(text)), err
	}
	if text, err = readFile(ctx, files, dendronFile); err != nil || text != nil {
		return dendron(string(text)), err
	}
	if p, found, err := foam(ctx, files); found || err != nil {
		return p, err
	}
	if isDir(files, obsidianDir) {
		return Pattern{Format: "YYYY-MM-DD"}, nil
	}
	return plain, nil
}

func isDir(files fsys.FS, name string) bool {
	info, err := files.Lstat(name)
	return err == nil && info.IsDir()
}

func readFile(ctx context.Context, files fsys.FS, name string) ([]byte, error) {
	text, _, err := fsys.ReadFile(ctx, files, name, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, fsys.Explain(err, "read %s", name)
}

// obsidian reads the settings of the core plugin Daily notes.
func obsidian(text []byte) (Pattern, error) {
	var s struct{ Folder, Format, Template string }
	if len(bytes.TrimSpace(text)) > 0 {
		if err := json.Unmarshal(text, &s); err != nil {
			return Pattern{}, kb.Errorf(kb.Invalid, "%s is not valid JSON: %w", obsidianFile, err).
				WithHint("Configure the daily notes in Obsidian again, or repair the file.")
		}
	}
	if s.Format == "" {
		s.Format = "YYYY-MM-DD"
	}
	return Pattern{Folder: strings.Trim(s.Folder, "/"), Format: s.Format, Template: strings.Trim(s.Template, "/")}, nil
}

var (
	ednComment = lazyregexp.New(`("(?:\\.|[^"\\])*")|;[^\n]*`)
	ednFolder  = lazyregexp.New(`:journals-directory\s+"([^"]*)"`)
	ednName    = lazyregexp.New(`:journal/file-name-format\s+"([^"]*)"`)
	ednFormat  = lazyregexp.New(`(?i):preferred-format\s+[:"]?(org|markdown)`)
)

// logseq reads the journal settings of a graph's configuration.
func logseq(text string) Pattern {
	text = ednComment().ReplaceAllString(text, "$1")
	p := Pattern{Folder: "journals", Format: "YYYY_MM_DD", Outline: true}
	if m := ednFolder().FindStringSubmatch(text); m != nil && m[1] != "" {
		p.Folder = strings.Trim(m[1], "/")
	}
	if m := ednName().FindStringSubmatch(text); m != nil && m[1] != "" {
		p.Format = doc.FromJava(m[1])
	}
	if m := ednFormat().FindStringSubmatch(text); m != nil {
		p.Ext = map[string]string{"org": ".org", "markdown": ".md"}[strings.ToLower(m[1])]
	}
	return p
}

// Path returns the path of a day's note; ext is the extension of the space's new
// pages, with the dot.
func (p Pattern) Path(day time.Time, ext string) string {
	if p.Ext != "" {
		ext = p.Ext
	}
	return path.Join(p.Folder, doc.FormatTime(p.Format, day)+ext)
}

// variable matches the placeholder of a date, a time or the title in Obsidian's
// templates.
var variable = lazyregexp.New(`\{\{\s*(date|time|title)\s*(?::([^}]*))?\}\}`)

// Fill returns the text of a template with its variables expanded. Dates are those
// of day, times those of now.
func Fill(template string, day, now time.Time, title string) string {
	at := timeOf(day, now)
	return variable().ReplaceAllStringFunc(template, func(s string) string {
		m := variable().FindStringSubmatch(s)
		format := m[2]
		switch {
		case m[1] == "title":
			return title
		case format != "":
		case m[1] == "date":
			format = "YYYY-MM-DD"
		default:
			format = "HH:mm"
		}
		return doc.FormatTime(format, at)
	})
}

// timeOf returns the time of now on another day.
func timeOf(day, now time.Time) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), now.Hour(), now.Minute(), now.Second(), now.Nanosecond(), now.Location())
}

// Block returns a text in the form appended to a note: a block of an outline has a
// bullet, in Org the star of a heading, as in org-roam's dailies.
func (p Pattern) Block(text string, org bool) string {
	text = strings.TrimSpace(text)
	switch {
	case org && !strings.HasPrefix(text, "*") && !strings.HasPrefix(text, "- "):
		return "* " + text
	case p.Outline && !org && !strings.HasPrefix(text, "- ") && !strings.HasPrefix(text, "* "):
		return "- " + strings.ReplaceAll(text, "\n", "\n  ")
	}
	return text
}
