package space

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/policy"
)

// flavour describes the files that a program keeps in the directories of its
// notes, and the settings that match its notes.
type flavour struct {
	marks    []string // files, at least one of which exists
	settings []setting
}

// setting is a key of a policy and its value.
type setting struct {
	key, value string
	from       *regexp.Regexp // extracts another value from that file
	usual      string         // the value for which the setting is not needed; "" for a path
	holds      string         // file that the directory named by the value contains
	within     []string       // subdirectories that may contain it instead
}

// flavours are the programs recognised by their configuration. All others, and
// Foam, use the default syntax.
var flavours = []flavour{{
	marks: []string{"logseq/config.edn"},
	settings: []setting{
		{key: "syntax", value: "logseq"},
		{key: "folder", value: "pages", from: regexp.MustCompile(`(?m)^[^;\n]*:pages-directory\s+"([^"]+)"`)},
		{key: "names", value: "title"},
		{key: "days", from: regexp.MustCompile(`(?m)^[^;\n]*:journal/page-title-format\s+"([^"]+)"`), usual: "MMM do, yyyy"},
	},
}, {
	marks: []string{"dendron.yml", "dendron.code-workspace", "root.schema.yml"},
	settings: []setting{
		{key: "syntax", value: "dendron"},
		{key: "folder", value: "vault", from: regexp.MustCompile(`(?m)^[^#\n]*\bfsPath:\s*['"]?([^\s'"]+)`), holds: "root.md", within: []string{".", "notes"}},
	},
}}

// maxMark limits the size of a configuration read for settings, in bytes.
const maxMark = 1 << 20

// Setting is a key of a policy with a suitable value for a directory.
type Setting struct {
	Key, Value string
	Mark       string // the file that indicates it
}

// fitting returns the settings for the program that keeps a directory, in the order
// in which they can be set.
func fitting(ctx context.Context, files fsys.FS) (out []Setting, err error) {
	for _, f := range flavours {
		for _, mark := range f.marks {
			config, _, err := fsys.ReadFile(ctx, files, mark, maxMark)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, fsys.Explain(err, "read %s", mark)
			}
			for _, s := range f.settings {
				if value := s.in(files, string(config)); value != "" {
					out = append(out, Setting{s.key, value, mark})
				}
			}
			return out, nil
		}
	}
	return nil, nil
}

// withFlavour returns a policy's text with the settings for the program that keeps
// a directory.
func withFlavour(ctx context.Context, files fsys.FS, text []byte) ([]byte, error) {
	settings, err := fitting(ctx, files)
	for _, s := range settings {
		if text, err = policy.Set(text, s.Key, s.Value); err != nil {
			return nil, err
		}
	}
	return text, err
}

// Misread returns the missing settings of a policy for reading the notes like the
// program that keeps the directory. Existing settings take precedence.
func Misread(ctx context.Context, files fsys.FS, pol *policy.Policy) (lacking []Setting, err error) {
	settings, err := fitting(ctx, files)
	for _, s := range settings {
		switch {
		case s.Key == "syntax" && pol.Syntax == "", s.Key == "days" && pol.Days == "":
			lacking = append(lacking, s)
		case s.Key == "syntax" && string(pol.Syntax) != s.Value:
			return nil, nil
		}
	}
	return lacking, err
}

// in returns the value of a setting according to a configuration, "" for none.
func (s setting) in(files fsys.FS, config string) string {
	value := s.value
	if s.from != nil {
		m := s.from.FindStringSubmatch(config)
		switch {
		case m == nil || m[1] == s.usual:
		case s.usual != "":
			value = m[1]
		case filepath.IsLocal(m[1]):
			value = path.Clean(m[1])
		}
	}
	if s.holds == "" {
		return value
	}
	for _, below := range s.within {
		dir := path.Join(value, below)
		if _, err := files.Lstat(path.Join(dir, s.holds)); err == nil && dir != "." {
			return dir
		}
	}
	return ""
}
