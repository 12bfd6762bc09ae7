package indexfile

import (
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Keys are the keys of the properties in a page's row.
var Keys = []string{"projects", "updated"}

// EntryOf returns the row of a page from its id and its properties.
func EntryOf(p kb.Page, id kb.ID, properties []kb.Property) Entry {
	e := Entry{Title: p.Title, ID: string(id), Summary: p.Summary, Type: p.Type, Status: string(p.Status), Path: p.Path}
	for _, x := range properties {
		switch strings.ToLower(x.Key) {
		case "projects":
			e.Projects = append(e.Projects, x.Text)
		case "updated":
			e.Updated = p.Updated.UTC().Format(time.DateOnly)
		}
	}
	return e
}

// Equal reports whether two entries are the same.
func (e Entry) Equal(o Entry) bool {
	return e.Title == o.Title && e.ID == o.ID && e.Summary == o.Summary && e.Type == o.Type && e.Status == o.Status &&
		e.Updated == o.Updated && e.Path == o.Path && slices.Equal(e.Projects, o.Projects)
}
