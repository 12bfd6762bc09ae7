package rank

// Page is a page with the chunk that stands for it.
type Page struct {
	Fused        // of the best chunk
	Page   int64 // row
	Chunks int   // how many of its chunks were found
}

// Dedupe keeps the first chunk of each page, in the order of the chunks.
// pageOf returns the page of a candidate's ID.
func Dedupe(fused []Fused, pageOf func(id int64) int64) []Page {
	var out []Page
	at := make(map[int64]int)
	for _, f := range fused {
		page := pageOf(f.ID)
		i, seen := at[page]
		if !seen {
			i = len(out)
			at[page] = i
			out = append(out, Page{Fused: f, Page: page})
		}
		out[i].Chunks++
	}
	return out
}

// BestOf turns a list of chunks into one of pages: each page once, with the
// score of its best chunk. It is what makes chunks comparable to evidence that
// knows only pages.
func BestOf(l List, pageOf func(id int64) int64) List {
	seen := make(map[int64]bool)
	var items []Scored
	for _, item := range l.Items {
		if page := pageOf(item.ID); !seen[page] {
			seen[page] = true
			items = append(items, Scored{page, item.Score})
		}
	}
	l.Items = items
	return l
}
