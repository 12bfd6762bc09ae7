package importer

import "iter"

// rows are the rows of an export that belong to pages, counted by the keys of the pages. All rows
// of a page come together, and an export with any number of rows is read once for each group of
// pages, so that the rows of one group only are in memory.
type rows struct {
	pages map[string]int32 // numbers of the pages, in the order of their first rows
	each  []int32          // how many rows a page has
}

// Each group reads the whole export again. So a group has groupRows rows, if no page alone has
// more, and in a large export a tenth of them.
const (
	groupRows = 10_000
	mostParts = 10
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

// has reports whether there is a page with a key.
func (r *rows) has(key string) bool {
	_, there := r.pages[key]
	return there
}

// rowGroup is some pages that follow each other.
type rowGroup struct {
	of       *rows
	from, to int32
}

// has reports whether a page is in the group.
func (g rowGroup) has(key string) bool {
	n, there := g.of.pages[key]
	return there && g.from <= n && n < g.to
}

// groups yields all pages in groups, at least one.
func (r *rows) groups() iter.Seq[rowGroup] {
	return func(yield func(rowGroup) bool) {
		total := 0
		for _, rows := range r.each {
			total += int(rows)
		}
		most := int32(max(groupRows, total/mostParts))
		var from, size int32
		for n, rows := range r.each {
			if size > 0 && size+rows > most {
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
