package lexical

import (
	"context"
	"slices"
)

// memory keeps an index in maps.
type memory struct {
	segments map[int64]*Segment
	pages    map[memoryPage][]byte
	last     int64
}

type memoryPage struct {
	segment int64
	stream  Stream
	page    int
}

func newMemory() *memory {
	return &memory{segments: make(map[int64]*Segment), pages: make(map[memoryPage][]byte)}
}

func (m *memory) Segments(context.Context) ([]Segment, error) {
	var all []Segment
	for _, s := range m.segments {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b Segment) int { return int(a.ID - b.ID) })
	return all, nil
}

func (m *memory) Pages(_ context.Context, segment int64, s Stream, from, to int) ([]byte, error) {
	var all []byte
	for p := from; p < to; p++ {
		all = append(all, m.pages[memoryPage{segment, s, p}]...)
	}
	return all, nil
}

func (m *memory) CreateSegment(context.Context) (int64, error) {
	m.last++
	m.segments[m.last] = &Segment{ID: m.last}
	return m.last, nil
}

func (m *memory) PutPage(_ context.Context, segment int64, s Stream, page int, data []byte) error {
	m.pages[memoryPage{segment, s, page}] = slices.Clone(data)
	return nil
}

func (m *memory) PutHeader(_ context.Context, segment int64, header []byte) error {
	m.segments[segment].Header = slices.Clone(header)
	return nil
}

func (m *memory) PutDeletes(_ context.Context, segment int64, deletes []byte) error {
	m.segments[segment].Deletes = slices.Clone(deletes)
	return nil
}

func (m *memory) IsFar() bool { return false }

func (m *memory) Ahead(context.Context, []PageAt) error { return nil }

func (m *memory) DropSegment(_ context.Context, segment int64) error {
	delete(m.segments, segment)
	for p := range m.pages {
		if p.segment == segment {
			delete(m.pages, p)
		}
	}
	return nil
}
