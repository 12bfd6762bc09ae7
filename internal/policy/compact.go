package policy

import (
	"cmp"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Compact selects the stale pages that are summarised, and when.
type Compact struct {
	// Every is the number of days after which the schedule makes another
	// compaction; 0 leaves it to people and agents.
	Every int `toml:"every,omitempty"`
	// MinCluster and MaxPages limit the number of pages in one summary; 0 is the
	// default.
	MinCluster int `toml:"min_cluster,omitempty"`
	MaxPages   int `toml:"max_pages,omitempty"`
	// Similarity is the minimum cosine of two pages of a cluster, from 0 to 1;
	// 0 is the value measured for the model in use.
	Similarity float64 `toml:"similarity,omitempty"`
}

// Default limits of the number of pages in a summary.
const (
	DefaultMinCluster = 3
	DefaultMaxPages   = 20
)

// Sizes returns MinCluster and MaxPages, or their defaults.
func (c Compact) Sizes() (least, most int) {
	least = cmp.Or(c.MinCluster, DefaultMinCluster)
	return least, cmp.Or(c.MaxPages, max(DefaultMaxPages, least))
}

// maxPages limits the pages of a cluster: all of them are one write.
const maxPages = 200

func (c Compact) validate() error {
	least, most := c.Sizes()
	switch {
	case c.Every < 0 || c.Every > maxRetention:
		return kb.Errorf(kb.Invalid, "compact.every in the space's policy is %d, which is not between 0 and %d", c.Every, maxRetention)
	case c.MinCluster < 0 || least < 2 || least > maxPages:
		return kb.Errorf(kb.Invalid, "compact.min_cluster in the space's policy is %d, which is not between 2 and %d", c.MinCluster, maxPages)
	case c.MaxPages < 0 || most < least || most > maxPages:
		return kb.Errorf(kb.Invalid, "compact.max_pages in the space's policy is %d, which is not between %d and %d", c.MaxPages, least, maxPages)
	case !(c.Similarity >= 0 && c.Similarity <= 1):
		return kb.Errorf(kb.Invalid, "compact.similarity %v in the space's policy is not a number from 0 to 1", c.Similarity)
	}
	return nil
}
