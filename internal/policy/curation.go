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
	// Every is the number of new or neglected pages after which the next pass is
	// due; 0 is the default.
	Every int `toml:"every,omitempty"`
	// Untouched is the number of days without a change or review after which a page
	// counts as neglected; 0 is the default.
	Untouched int `toml:"untouched,omitempty"`
	// Broad is the size in bytes from which a page may cover more than one subject;
	// 0 is the default.
	Broad int `toml:"broad,omitempty"`
}

// Defaults.
const (
	defaultEvery     = 50
	defaultUntouched = 180
	defaultBroad     = 8 << 10
)

// Filled returns the table with defaults applied.
func (c Curation) Filled() Curation {
	c.Every = cmp.Or(c.Every, defaultEvery)
	c.Untouched = cmp.Or(c.Untouched, defaultUntouched)
	c.Broad = cmp.Or(c.Broad, defaultBroad)
	return c
}

// maxCuration limits the numbers of Curation.
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
