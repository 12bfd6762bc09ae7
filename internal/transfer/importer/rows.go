package importer

import "iter"

// rows counts the rows of an export by the keys of their pages. A page needs all of its rows
// at once, so the export is read once for each group of pages, with only the rows of that
// group in memory.
type rows struct {
	pages map[string]int32 // numbers of the pages, in the order of their first rows
	each  []int32          // number of rows of a page
}

// The whole export is read again for each group. A group has groupRows rows, or a tenth of
// the rows of a large export; a page with more rows than that is a group of its own.
const (
	groupRows = 10_000
	maxParts  = 10
)

func newRows() *rows { return &rows{pages: map[string]int32{}} }

// count counts a row of a page.
func (r *rows) count(key string) {
	n, there := r.pages[key]
	if !there {
		n = int32(len(r.each))
		r.pages[key] = n
		r.each = append(r.each, 0)
	}
	r.each[n]++
}

// has reports whether a page with a key exists.
func (r *rows) has(key string) bool {
	_, there := r.pages[key]
	return there
}

// rowGroup is a group of consecutive pages.
type rowGroup struct {
	of       *rows
	from, to int32
}

// has reports whether a page is in the group.
func (g rowGroup) has(key string) bool {
	n, there := g.of.pages[key]
	return there && g.from <= n && n < g.to
}

// groups yields all pages in groups, at least one group.
func (r *rows) groups() iter.Seq[rowGroup] {
	return func(yield func(rowGroup) bool) {
		total := 0
		for _, rows := range r.each {
			total += int(rows)
		}
		limit := int32(max(groupRows, total/maxParts))
		var from, size int32
		for n, rows := range r.each {
			if size > 0 && size+rows > limit {
				if !yield(rowGroup{r, from, int32(n)}) {
					return
				}
				from, size = int32(n), 0
			}
			size += rows
		}
		yield(rowGroup{r, from, int32(len(r.each))})
	}
}
