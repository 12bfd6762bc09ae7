package store

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Lives reads the lifecycle fields of the pages of a space without reading whole pages,
// since a space may have very many.
type Lives interface {
	// Newest returns the rows of at most limit pages of a space in a status, in the order
	// of ByUpdated.
	Newest(ctx context.Context, space int64, status kb.Status, limit int) ([]int64, error)
	// Pinned returns the rows of at most limit pinned pages of a space with one of statuses,
	// in the order of BySlug.
	Pinned(ctx context.Context, space int64, statuses []kb.Status, limit int) ([]int64, error)
	// Places returns the place and status of each of the pages, in any order.
	Places(ctx context.Context, pages []int64) ([]LifePlace, error)
	// Linked returns the number of other pages that link to each page, for pages with such
	// links. Automatic relations do not count, neither here nor in All.
	Linked(ctx context.Context, pages []int64) (map[int64]int, error)
	// All returns the lifecycle fields of every page of a space, ordered by row.
	All(ctx context.Context, space int64) ([]Life, error)
	// Use records that pages of a space were used on a day.
	Use(ctx context.Context, space int64, pages []kb.ID, day string) error
	// UsedOn returns the day on which a page was last used, "" for never.
	UsedOn(ctx context.Context, space int64, page kb.ID) (string, error)
	// Used returns the day on which pages of a space were last used, by row.
	Used(ctx context.Context, space int64) (map[int64]string, error)
	// Days returns the creation and update times of every page of a space, ordered by row.
	Days(ctx context.Context, space int64) ([]LifeDays, error)
}

// LifeDays holds the creation and update times of a page, and its document.
type LifeDays struct {
	Page, Document   int64
	Own              bool // the document's own page, not a part of it
	Created, Updated time.Time
}

// Life holds the fields of a page that matter for its age.
type Life struct {
	Page                                   int64
	Slug                                   string
	Status                                 kb.Status
	Created, TruthUpdated, TimelineUpdated time.Time
	Linked                                 bool // another page links to it, other than automatically
}

// LifePlace holds the place, status and update time of a page.
type LifePlace struct {
	Page, Space int64
	Slug        string
	Status      kb.Status
	Updated     time.Time
}
