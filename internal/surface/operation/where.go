package operation

import (
	"fmt"

	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

// checkWhere refuses a condition that is only words: it would ask for pages with a property
// of that name, and words in a condition are mostly meant as a search.
func checkWhere(conditions []string) error {
	for i, c := range conditions {
		if retrieve.OnlyWords(c) {
			return misuse{fmt.Sprintf("where[%d]", i), fmt.Errorf("%q is not a condition: write stage=design, n>2, stage=* (has it), path:dir, tag:x or -tag:x; for words use recall", c)}
		}
	}
	return nil
}
