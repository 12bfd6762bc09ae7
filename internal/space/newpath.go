package space

import (
	"path"

	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/vault"
	"github.com/cairn-kb/cairn/internal/write"
)

// NewPath returns where a new page of a title goes that nobody gave a path, as
// the space's policy says. ext is the extension of its file, with the dot.
func NewPath(s *write.Space, title, ext string) string {
	name := vault.FileName
	if s.Policy.Names == policy.ByTitle {
		name = vault.TitledName
	}
	return path.Join(s.Policy.Folder, name(title, ext))
}
