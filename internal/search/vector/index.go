package vector

import (
	"sync"

	"github.com/cairn-kb/cairn/internal/kb"
)

// slabRows is the number of vectors that stand in one piece of memory: 6 MB at
// 384 dimensions. A large index thus grows without being copied, and its scan
// is shared out by slabs.
const slabRows = 1 << 14

// Index holds the vectors of pages. Make one with New. It is safe for
// concurrent use; a search sees the index as it was at one moment.
type Index struct {
	dims   int
	kernel Kernel

	mu    sync.RWMutex
	slabs []*slab
	rows  int // used, those of removed pages included
	dead  int // of removed pages
	pages map[int64]extent
}

// extent is where a page's vectors are.
type extent struct{ start, count int }

// slab is up to slabRows vectors.
type slab struct {
	values []int8
	scales []float32
	rows   []row
}

// row says whose a vector is.
type row struct {
	page     int64
	chunk    uint32
	from, to uint32
	dead     bool
}

// New returns an empty index for vectors of dims dimensions.
func New(dims int, kernel Kernel) *Index {
	return &Index{dims: dims, kernel: kernel, pages: make(map[int64]extent)}
}

// Put adds or replaces the vectors of a page. It fails with kb.Damaged, or
// kb.Invalid when the blob has other dimensions than the index, and then
// leaves the index as it was.
func (x *Index) Put(page int64, blob []byte) error {
	b, err := open(blob)
	if err != nil {
		return err
	}
	if b.dims != x.dims {
		return kb.Errorf(kb.Invalid, "vectors of %d dimensions do not go into an index of %d", b.dims, x.dims)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	start := x.rows
	for i := 0; i < b.count; {
		s := x.last()
		n := min(b.count-i, slabRows-len(s.rows))
		if !s.append(page, &b, i, n) {
			x.truncate(start)
			return damaged("a value is out of range")
		}
		x.rows += n
		i += n
	}
	x.drop(page)
	x.pages[page] = extent{start, b.count}
	x.compact()
	return nil
}

// Remove forgets a page, if it is there.
func (x *Index) Remove(page int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.drop(page)
	x.compact()
}

// Pages calls f with every page that the index holds, in no order, until it
// returns false. f must not call the index.
func (x *Index) Pages(f func(page int64) bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for page := range x.pages {
		if !f(page) {
			return
		}
	}
}

// Len returns the number of pages, those without vectors included, and of
// vectors.
func (x *Index) Len() (pages, vectors int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.pages), x.rows - x.dead
}

// last returns a slab with room.
func (x *Index) last() *slab {
	if n := len(x.slabs); n > 0 && len(x.slabs[n-1].rows) < slabRows {
		return x.slabs[n-1]
	}
	s := new(slab)
	if len(x.slabs) > 0 { // a large index: the slab will be filled
		s.values = make([]int8, 0, slabRows*x.dims)
		s.scales = make([]float32, 0, slabRows)
		s.rows = make([]row, 0, slabRows)
	}
	x.slabs = append(x.slabs, s)
	return s
}

// append adds n vectors of a blob from the i-th on, or reports false.
func (s *slab) append(page int64, b *parts, i, n int) bool {
	at := len(s.values)
	s.values = grow(s.values, n*b.dims, slabRows*b.dims)
	if !copyValues(s.values[at:], b.values[i*b.dims:(i+n)*b.dims]) {
		s.values = s.values[:at]
		return false
	}
	for j := i; j < i+n; j++ {
		lines := b.line(j)
		s.scales = append(s.scales, b.scale(j))
		s.rows = append(s.rows, row{page: page, chunk: uint32(j), from: uint32(lines[0]), to: uint32(lines[1])})
	}
	return true
}

// grow returns s with n more elements. It doubles the room, up to most.
func grow(s []int8, n, most int) []int8 {
	if need := len(s) + n; need > cap(s) {
		s = append(make([]int8, 0, max(need, min(2*cap(s), most))), s...)
	}
	return s[:len(s)+n]
}

// drop marks a page's vectors removed.
func (x *Index) drop(page int64) {
	e, ok := x.pages[page]
	if !ok {
		return
	}
	delete(x.pages, page)
	for i := e.start; i < e.start+e.count; i++ {
		x.slabs[i/slabRows].rows[i%slabRows].dead = true
	}
	x.dead += e.count
}

// compact closes the gaps of removed pages when they are a fifth of all, so
// that a removal costs in the mean what a few additions do.
func (x *Index) compact() {
	if x.dead == 0 || x.dead*5 < x.rows {
		return
	}
	to := 0
	for from := range x.rows {
		src := x.slabs[from/slabRows]
		i := from % slabRows
		r := src.rows[i]
		if r.dead {
			continue
		}
		if to < from {
			dst, j := x.slabs[to/slabRows], to%slabRows
			dst.rows[j], dst.scales[j] = r, src.scales[i]
			copy(dst.values[j*x.dims:(j+1)*x.dims], src.values[i*x.dims:(i+1)*x.dims])
			if r.chunk == 0 {
				x.pages[r.page] = extent{to, x.pages[r.page].count}
			}
		}
		to++
	}
	x.truncate(to)
	x.dead = 0
}

// truncate forgets all rows from n on.
func (x *Index) truncate(n int) {
	x.rows = n
	full := (n + slabRows - 1) / slabRows
	clear(x.slabs[full:])
	x.slabs = x.slabs[:full]
	if full > 0 {
		s, left := x.slabs[full-1], n-(full-1)*slabRows
		s.rows, s.scales, s.values = s.rows[:left], s.scales[:left], s.values[:left*x.dims]
	}
}
