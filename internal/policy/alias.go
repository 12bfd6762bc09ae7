package policy

import (
	"path"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Alias is another name for pages. A request for it resolves to them, unless a page
// has that name itself. A * at the end of both matches the same rest.
type Alias struct {
	From string `toml:"from"` // slug, such as user/profile or daily/*
	To   string `toml:"to"`   // slug, or path
}

// Unaliased resolves a slug or path by the first alias that matches, and keeps
// its extension.
func (p *Policy) Unaliased(name string) (string, bool) {
	ext := path.Ext(name)
	if ext != ".md" && ext != ".org" {
		ext = ""
	}
	for _, a := range p.Aliases {
		to, ok := kb.Unaliased(a.From, a.To, strings.TrimSuffix(name, ext))
		if !ok {
			continue
		}
		if path.Ext(a.To) == "" {
			to += ext
		}
		return to, true
	}
	return name, false
}

// UnaliasedPath resolves a path, a pattern of paths, or a directory by the first alias that
// matches.
func (p *Policy) UnaliasedPath(name string) (string, bool) {
	name = strings.Trim(name, "/")
	if to, ok := p.Unaliased(name); ok {
		return to, true
	}
	to, ok := p.Unaliased(name + "/x")
	return strings.TrimSuffix(to, "/x"), ok && strings.HasSuffix(to, "/x")
}

func (p *Policy) validateAliases() error {
	for _, a := range p.Aliases {
		from, to := strings.TrimSuffix(a.From, "*"), strings.TrimSuffix(a.To, "*")
		switch {
		case strings.HasSuffix(a.From, "*") != strings.HasSuffix(a.To, "*") || strings.Contains(from+to, "*"):
			return kb.Errorf(kb.Invalid, "alias %q in the space's policy: a * must be at the end of both from and to, or of neither", a.From)
		case !isPath(from+"x") || !isPath(to+"x"):
			return kb.Errorf(kb.Invalid, "alias in the space's policy: %q or %q is not a valid name of a page", a.From, a.To).
				WithHint("Write them as user/profile, or daily/* for all pages of a directory.")
		}
		again, ok := p.Unaliased(strings.Replace(a.To, "*", "x", 1))
		if ok {
			return kb.Errorf(kb.Invalid, "alias %q in the space's policy: %s is an alias itself, of %s", a.From, a.To, again).
				WithHint("Name the page that it leads to.")
		}
	}
	return nil
}
