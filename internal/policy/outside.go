package policy

import (
	"cmp"
	"path"

	"github.com/cairn-kb/cairn/internal/kb"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Index selects the index files of a directory.
type Index struct {
	File      string `toml:"file,omitempty"`       // name without extension; "" for none
	MaxTokens int    `toml:"max_tokens,omitempty"` // approximate limit of a file
}

// DefaultIndexTokens is the default size limit of an index file, in tokens.
const DefaultIndexTokens = 4000

// Tokens is MaxTokens, or its default.
func (i Index) Tokens() int { return cmp.Or(i.MaxTokens, DefaultIndexTokens) }

// Sources selects the directory of a space's source files.
type Sources struct {
	Dir string `toml:"dir,omitempty"` // "" for none
	// Needed are metadata values for which a page must name a source in its source
	// key.
	Needed map[string][]string `toml:"needed,omitempty"`
}

// Outside returns the lines of an ignore file that exclude index files and sources
// from the pages.
func (p *Policy) Outside() []string {
	var out []string
	if name := p.Index.File; name != "" {
		ext := ".md"
		if p.Format == "org" {
			ext = ".org"
		}
		out = append(out, "/"+name+ext, "/"+name+"-*"+ext)
	}
	if p.Sources.Dir != "" {
		out = append(out, "/"+p.Sources.Dir+"/")
	}
	return out
}

var plainName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

func (p *Policy) validateOutside() error {
	switch {
	case p.Index.File != "" && !plainName().MatchString(p.Index.File):
		return kb.Errorf(kb.Invalid, "index.file %q in the space's policy is not a plain name without extension", p.Index.File)
	case p.Index.MaxTokens != 0 && p.Index.MaxTokens < 500:
		return kb.Errorf(kb.Invalid, "index.max_tokens %d in the space's policy is less than 500", p.Index.MaxTokens)
	case p.Sources.Dir != "" && (!plainName().MatchString(path.Base(p.Sources.Dir)) || path.Base(p.Sources.Dir) != p.Sources.Dir):
		return kb.Errorf(kb.Invalid, "sources.dir %q in the space's policy is not a plain name of a directory", p.Sources.Dir)
	case p.Sources.Dir == "" && len(p.Sources.Needed) > 0:
		return kb.Errorf(kb.Invalid, "sources.needed in the space's policy needs sources.dir")
	}
	return nil
}
