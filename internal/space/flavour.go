package space

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"

	"github.com/cairn-kb/cairn/internal/fsys"
	"github.com/cairn-kb/cairn/internal/policy"
)

// flavour is what a program keeps in the directories of its notes, and the
// settings that fit what it writes.
type flavour struct {
	marks    []string // files, of which one is there
	settings []setting
}

// setting is a key of a policy and the value that it gets.
type setting struct {
	key, value string
	from       *regexp.Regexp // what says otherwise, in the file that was found
	holds      string         // file that is in the directory which the value names
	within     []string       // directories below it where that may be as well
}

// flavours are the programs whose notes are told by their configuration. All
// others write as the default has it, and so does Foam.
var flavours = []flavour{{
	marks: []string{"logseq/config.edn"},
	settings: []setting{
		{key: "syntax", value: "logseq"},
		{key: "folder", value: "pages", from: regexp.MustCompile(`(?m)^[^;\n]*:pages-directory\s+"([^"]+)"`)},
		{key: "names", value: "title"},
	},
}, {
	marks: []string{"dendron.yml", "dendron.code-workspace", "root.schema.yml"},
	settings: []setting{
		{key: "syntax", value: "dendron"},
		{key: "folder", value: "vault", from: regexp.MustCompile(`(?m)^[^#\n]*\bfsPath:\s*['"]?([^\s'"]+)`), holds: "root.md", within: []string{".", "notes"}},
	},
}}

// maxMark bounds a configuration that is read for settings, in bytes.
const maxMark = 1 << 20

// withFlavour returns a policy's text with the settings for the program that keeps
// a directory.
func withFlavour(ctx context.Context, files fsys.FS, text []byte) ([]byte, error) {
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
				value := s.in(files, string(config))
				if value == "" {
					continue
				}
				if text, err = policy.Set(text, s.key, value); err != nil {
					return nil, err
				}
			}
			return text, nil
		}
	}
	return text, nil
}

// in returns the value of a setting by what a configuration says, "" for none.
func (s setting) in(files fsys.FS, config string) string {
	value := s.value
	if s.from != nil {
		if m := s.from.FindStringSubmatch(config); m != nil && filepath.IsLocal(m[1]) {
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
