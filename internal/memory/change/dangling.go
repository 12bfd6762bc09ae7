package change

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// maxDangling limits the pages listed in a note about broken links.
const maxDangling = 8

// dangling returns a note for each deleted page that lists the pages with links to
// it, which are broken afterwards.
func dangling(ctx context.Context, sess *memory.Session, changes []write.Change) (map[kb.ID]string, error) {
	var deleted []kb.ID
	for _, c := range changes {
		if _, is := c.Action.(write.Delete); is && c.Of != "" {
			deleted = append(deleted, c.Of)
		}
	}
	if len(deleted) == 0 {
		return nil, nil
	}
	notes := map[kb.ID]string{}
	err := sess.DB.View(ctx, func(tx store.Tx) error {
		for _, id := range deleted {
			pages, err := tx.Pages().ByID(ctx, id)
			if err != nil {
				return err
			}
			var from []string
			for _, p := range pages {
				links, err := tx.Links().To(ctx, p.Row)
				if err != nil {
					return err
				}
				for _, l := range links {
					if !slices.Contains(deleted, l.Page.ID) && !slices.Contains(from, l.Page.Ref()) {
						from = append(from, l.Page.Ref())
					}
				}
			}
			if len(from) > 0 {
				notes[id] = leadNowhere(from)
			}
		}
		return nil
	})
	return notes, err
}

func leadNowhere(from []string) string {
	named := strings.Join(from[:min(len(from), maxDangling)], ", ")
	if more := len(from) - maxDangling; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return "links to it now lead nowhere, in " + named
}
