package retrieve

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// siblings says which candidates of a search belong together by how they are filed:
// parts of a whole, and pages of a series.
type siblings struct {
	wholes map[int64]int     // the whole that a page is a part of
	places map[int64]place   // place of a page in its series
	series map[place][]int64 // the pages at that place
}

// place is one in a series of pages that differ by a number or day.
type place struct {
	series string
	at     int64
}

// siblingsOf finds what belongs together among pages.
func siblingsOf(pages []kb.Page) siblings {
	k := siblings{wholes: map[int64]int{}, places: map[int64]place{}, series: map[place][]int64{}}
	type whole struct {
		space         kb.ID
		folder, title string
	}
	wholes := map[whole]int{}
	for _, p := range pages {
		w := whole{p.SpaceID, path.Dir(p.Slug), p.Title}
		if p.Headed() { // many begin with a heading such as "Notes"
			w = whole{p.SpaceID, p.Slug, ""}
		}
		if _, ok := wholes[w]; !ok {
			wholes[w] = len(wholes)
		}
		k.wholes[p.Row] = wholes[w]
		if at, ok := placeOf(p); ok {
			k.places[p.Row] = at
			k.series[at] = append(k.series[at], p.Row)
		}
	}
	return k
}

// whole returns the whole that a page is a part of: pages of a folder that have
// the same title, as the turns of a conversation do.
func (k siblings) whole(row int64) (int, bool) {
	w, ok := k.wholes[row]
	return w, ok
}

// adjacent returns the pages before and after a page in its series.
func (k siblings) adjacent(row int64) []int64 {
	p, ok := k.places[row]
	if !ok {
		return nil
	}
	return slices.Concat(k.series[place{p.series, p.at - 1}], k.series[place{p.series, p.at + 1}])
}

// serialDigits is how long a number may be that counts. Longer ones are times
// and identifiers.
const serialDigits = 9

// placeOf returns the place of a page among those with names that differ
// from its own in the day, or else in the last number: journal/2026-03-01, session_07.
func placeOf(p kb.Page) (place, bool) {
	if p.Node != "" {
		return place{}, false // named by an id
	}
	folder, name := path.Split(p.Slug)
	if day, i, ok := dayIn(name); ok {
		return place{seriesName(p, folder+name[:i], "day", name[i+len(time.DateOnly):]), day.Unix() / (24 * 60 * 60)}, true
	}
	end := strings.LastIndexFunc(name, isDigit) + 1
	start := len(strings.TrimRightFunc(name[:end], isDigit))
	n, err := strconv.ParseInt(name[start:end], 10, 64)
	if err != nil || end-start > serialDigits {
		return place{}, false
	}
	return place{seriesName(p, folder+name[:start], "number", name[end:]), n}, true
}

// dayIn returns the first day in a name, such as 2026-03-01-standup, and its
// place.
func dayIn(name string) (day time.Time, at int, ok bool) {
	for i := 0; i+len(time.DateOnly) <= len(name); i++ {
		if day, err := time.Parse(time.DateOnly, name[i:i+len(time.DateOnly)]); err == nil {
			return day, i, true
		}
	}
	return day, 0, false
}

// dayOf returns the day that a page is of: the one in its name, else the date
// in its metadata. The time of a change does not show the content.
func dayOf(p kb.Page) (day time.Time, ok bool) {
	if day, _, ok := dayIn(path.Base(p.Slug)); ok {
		return day, true
	}
	day, err := time.Parse(time.DateOnly, p.Day)
	return day, err == nil
}

func seriesName(p kb.Page, parts ...string) string {
	return string(p.SpaceID) + "\x00" + strings.Join(parts, "\x00")
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }
