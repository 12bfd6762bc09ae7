package space

import (
	"path"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

// NewPath returns the path for a new page with a title and no path, by the space's
// policy. ext is the extension of its file, with the dot.
func NewPath(s *write.Space, title, ext string) string { return PathIn(s, s.Policy.Folder, title, ext) }

// PathIn is NewPath for a page in a given folder.
func PathIn(s *write.Space, folder, title, ext string) string {
	title = redacted(s.Policy, title)
	name := vault.FileName
	switch s.Policy.Names {
	case policy.ByTitle:
		name = vault.TitledName
	case policy.ByTime:
		if s.Now != nil && !doc.SyntaxOf(s.Policy.Syntax).Named {
			title = s.Now().Format("20060102150405-") + title
		}
	}
	syntax := doc.SyntaxOf(s.Policy.Syntax)
	if !syntax.Named {
		return path.Join(folder, name(title, ext))
	}
	levels := strings.Split(title, "/")
	for i := range levels {
		levels[i] = name(levels[i], "")
	}
	return path.Join(folder, strings.Join(levels, syntax.Level)+ext)
}

// redacted returns a title without credentials if the policy redacts them in the
// text: a scan would not find them in the file name.
func redacted(p *policy.Policy, title string) string {
	if p.Secrets.Action != policy.Redact || p.Secrets.Off {
		return title
	}
	found := secrets.Scan([]byte(title), secrets.Options{Allow: p.Secrets.Allow, Rules: p.Secrets.Rules})
	for _, f := range slices.Backward(found) {
		title = title[:f.Start] + "redacted" + title[f.End:]
	}
	return title
}

// StablePath is NewPath for a page with a file name derived from its title alone,
// in a space that prepends the time.
func StablePath(s *write.Space, title, ext string) string {
	if s.Policy.Names == policy.ByTime {
		return path.Join(s.Policy.Folder, vault.FileName(redacted(s.Policy, title), ext))
	}
	return NewPath(s, title, ext)
}

// NamedPath returns the path for a new page with a name, without extension: in the
// folder of a space with one folder, unless the name is a path in an existing
// directory.
func NamedPath(s *write.Space, name string) string {
	level := doc.SyntaxOf(s.Policy.Syntax).Level
	if level == "" || s.Files == nil {
		return name
	}
	if dir := path.Dir(name); dir != "." {
		if info, err := s.Files.Lstat(dir); err == nil && info.IsDir() {
			return name
		}
	}
	return path.Join(s.Policy.Folder, strings.ReplaceAll(name, "/", level))
}
