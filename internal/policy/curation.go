package policy

import (
	"cmp"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Curation configures when the pages of a space are due for a curation pass,
// and which pages it lists.
type Curation struct {
	// Due is the number of pages at which the first pass is due; 0 never
	// reminds anyone.
	Due int `toml:"due,omitempty"`
	// Every is after how many pages, new or left alone for too long, they are again; 0 is
	// the default.
	Every int `toml:"every,omitempty"`
	// Untouched is for how many days a page may be neither changed nor looked at; 0 is the
	// default.
	Untouched int `toml:"untouched,omitempty"`
	// Broad is from how many bytes on a page may be about more than one thing; 0 is the
	// default.
	Broad int `toml:"broad,omitempty"`
}

// The defaults.
const (
	defaultEvery     = 50
	defaultUntouched = 180
	defaultBroad     = 8 << 10
)

// Filled is the table with its defaults.
func (c Curation) Filled() Curation {
	c.Every = cmp.Or(c.Every, defaultEvery)
	c.Untouched = cmp.Or(c.Untouched, defaultUntouched)
	c.Broad = cmp.Or(c.Broad, defaultBroad)
	return c
}

// maxCuration bounds the numbers of Curation.
const maxCuration = 1 << 24

func (c Curation) validate() error {
	for _, x := range []struct {
		key   string
		value int
	}{{"due", c.Due}, {"every", c.Every}, {"untouched", c.Untouched}, {"broad", c.Broad}} {
		if x.value < 0 || x.value > maxCuration {
			return kb.Errorf(kb.Invalid, "curation.%s in the space's policy is %d, which is not between 0 and %d", x.key, x.value, maxCuration)
		}
	}
	return nil
}
