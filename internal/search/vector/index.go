package vector

import (
	"cmp"
	"slices"
	"sync"
	"unsafe"
)

// Index holds the vectors of pages, in the bundles of the store. It is made by New. It is
// safe for concurrent use; a search sees a consistent state of the index.
type Index struct {
	dims   int
	kernel Kernel

	mu      sync.RWMutex
	bundles []*bundle
	places  map[int64]int // index in bundles, by number
	rows    int
	damaged int
}

// Page is the packed form of a page's vectors without their values, which are stored
// together with those of other pages.
type Page struct {
	Page int64
	Info []byte
	Size int // bytes of its values
}

// bundle holds the concatenated vectors of some pages.
type bundle struct {
	number  int64
	pages   []pageRows
	scales  []float32
	values  []int8
	damaged int // number of skipped pages
}

// pageRows is the start of a page's vectors in its bundle.
type pageRows struct {
	page  int64
	first int
	lines []byte // see linesAt
}

// New returns an empty index for vectors of dims dimensions.
func New(dims int, kernel Kernel) *Index {
	return &Index{dims: dims, kernel: kernel, places: make(map[int64]int)}
}

// Put adds or replaces a bundle. values are those of all its pages, in order. The index
// searches them in place, so neither they nor the Infos may be changed afterwards. Pages
// with damaged vectors, or with other dimensions than the index, are skipped and counted:
// see Damaged.
func (x *Index) Put(number int64, pages []Page, values []byte) {
	b := newBundle(x.dims, number, pages, values)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rows += len(b.scales)
	x.damaged += b.damaged
	at, ok := x.places[number]
	if !ok {
		x.places[number] = len(x.bundles)
		x.bundles = append(x.bundles, b)
		return
	}
	old := x.bundles[at]
	x.bundles[at] = b
	x.rows -= len(old.scales)
	x.damaged -= old.damaged
}

func newBundle(dims int, number int64, pages []Page, values []byte) *bundle {
	b := &bundle{number: number, pages: make([]pageRows, 0, len(pages)), scales: make([]float32, 0, len(values)/dims)}
	sound := values
	for _, p := range pages {
		size := min(p.Size, len(values))
		own := values[:size]
		values = values[size:]
		parts, err := open(p.Info, own)
		if err != nil || parts.dims != dims {
			if b.damaged == 0 { // from here on, values are copied to close the gaps
				sound = sound[: len(b.scales)*dims : len(b.scales)*dims]
			}
			b.damaged++
			continue
		}
		if b.damaged > 0 {
			sound = append(sound, own...)
		}
		b.pages = append(b.pages, pageRows{p.Page, len(b.scales), parts.lines})
		for i := range parts.count {
			b.scales = append(b.scales, scaleAt(parts.scales, i))
		}
	}
	b.values = signed(sound[:len(b.scales)*dims])
	return b
}

// signed returns the same memory as signed values: copying it would take as long as reading
// it from disk.
func signed(values []byte) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(values))), len(values))
}

// Remove removes a bundle, if it exists.
func (x *Index) Remove(number int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	at, ok := x.places[number]
	if !ok {
		return
	}
	b := x.bundles[at]
	x.rows -= len(b.scales)
	x.damaged -= b.damaged
	last := x.bundles[len(x.bundles)-1]
	x.bundles[at], x.places[last.number] = last, at
	x.bundles[len(x.bundles)-1] = nil
	x.bundles = x.bundles[:len(x.bundles)-1]
	delete(x.places, number)
}

// Bundles returns the numbers of the bundles in the index, in no particular order.
func (x *Index) Bundles() []int64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	out := make([]int64, len(x.bundles))
	for i, b := range x.bundles {
		out[i] = b.number
	}
	return out
}

// Len returns the number of vectors.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.rows
}

// Damaged returns the number of skipped pages.
func (x *Index) Damaged() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.damaged
}

// Has reports whether a page has vectors in the index.
func (x *Index) Has(page int64) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, b := range x.bundles {
		if n := len(b.pages); n == 0 || page < b.pages[0].page || page > b.pages[n-1].page {
			continue
		}
		if _, ok := slices.BinarySearchFunc(b.pages, page, func(p pageRows, page int64) int { return cmp.Compare(p.page, page) }); ok {
			return true
		}
	}
	return false
}
