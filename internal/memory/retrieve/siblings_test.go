package retrieve

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cairn-kb/cairn/internal/kb"
)

func TestKin(t *testing.T) {
	t.Parallel()
	slugs := []string{
		1: "chat/session_09", 2: "chat/session_10", 3: "chat/session_11", 4: "chat/session_8-notes",
		5: "journal/2026-02-28", 6: "journal/2026-03-01", 7: "journal/2026-03-02", 8: "journal/2026-03-02-work",
		9: "other/session_12", 10: "202602281200", 11: "202602281201", 12: "plain", 13: "chat/session_010",
	}
	var pages []kb.Page
	for row, slug := range slugs[1:] {
		pages = append(pages, kb.Page{Row: int64(row + 1), SpaceID: "s", Slug: slug, Title: slug})
	}
	pages = append(pages,
		kb.Page{Row: 20, SpaceID: "t", Slug: "chat/session_11"},
		kb.Page{Row: 21, SpaceID: "s", Slug: "chat/session_12", Node: "n"},
	)
	k := siblingsOf(pages)
	for row, want := range map[int64][]int64{
		1: {2, 13}, 2: {1, 3}, 3: {2, 13}, 4: nil,
		5: {6}, 6: {5, 7}, 7: {6}, 8: nil,
		9: nil, 10: nil, 11: nil, 12: nil, 13: {1, 3}, 20: nil, 21: nil, 99: nil,
	} {
		if diff := cmp.Diff(want, k.adjacent(row), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("beside %d: %s", row, diff)
		}
	}
}

func TestWholes(t *testing.T) {
	t.Parallel()
	k := siblingsOf([]kb.Page{
		{Row: 1, SpaceID: "s", Slug: "chat/D1-1", Title: "Session 1"},
		{Row: 2, SpaceID: "s", Slug: "chat/D1-2", Title: "Session 1"},
		{Row: 3, SpaceID: "s", Slug: "chat/D2-1", Title: "Session 2"},
		{Row: 4, SpaceID: "s", Slug: "talk/D1-1", Title: "Session 1"},
		{Row: 5, SpaceID: "t", Slug: "chat/D1-1", Title: "Session 1"},
	})
	of := func(row int64) int {
		w, ok := k.whole(row)
		if !ok {
			t.Errorf("%d is part of nothing", row)
		}
		return w
	}
	if of(1) != of(2) {
		t.Error("pages of a folder with the same title are apart")
	}
	for _, row := range []int64{3, 4, 5} {
		if of(1) == of(row) {
			t.Errorf("page 1 is of a whole with %d", row)
		}
	}
	if _, ok := k.whole(9); ok {
		t.Error("a page that is no candidate is part of something")
	}
}
