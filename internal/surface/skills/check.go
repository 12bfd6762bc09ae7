package skills

import (
	"fmt"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Limits of the specification at agentskills.io, November 2026.
const (
	maxName        = 64   // characters
	maxDescription = 1024 // characters
)

var validName = lazyregexp.New(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// check returns what of the format a skill breaks; directory is the name of
// the directory that it is in.
func check(directory string, s Skill) error {
	switch n := utf8.RuneCountInString(s.Description); {
	case s.Name == "":
		return fmt.Errorf("the frontmatter has no name")
	case s.Name != directory:
		return fmt.Errorf("the name %q is not that of the directory, %q", s.Name, directory)
	case len(s.Name) > maxName || !validName().MatchString(s.Name):
		return fmt.Errorf("the name %q is not made of lower-case letters, digits and single hyphens, %d at most", s.Name, maxName)
	case n == 0:
		return fmt.Errorf("the frontmatter has no description")
	case n > maxDescription:
		return fmt.Errorf("the description has %d characters, more than %d", n, maxDescription)
	}
	return nil
}
