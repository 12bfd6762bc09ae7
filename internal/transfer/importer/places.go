package importer

import (
	"hash/maphash"

	"github.com/cairn-kb/cairn/internal/kb"
)

// seen counts texts. It keeps 64 bits of their hash with a random seed.
type seen struct {
	seed maphash.Seed
	by   map[uint64]int32
}

func newSeen() *seen { return &seen{maphash.MakeSeed(), map[uint64]int32{}} }

// again counts a text, and returns how often it was counted, including this time.
func (s *seen) again(text string) int32 {
	h := s.hash(text)
	s.by[h]++
	return s.by[h]
}

// has reports whether a text was counted.
func (s *seen) has(text string) bool { return s.by[s.hash(text)] > 0 }

func (s *seen) hash(text string) uint64 { return maphash.String(s.seed, text) }

// places holds the paths of the pages of an import, by key, and the names that links refer
// to. An import may have 100,000 pages with several names each, so it keeps only 64 bits of
// the hashes of keys and names, with a random seed.
type places struct {
	seed   maphash.Seed
	keys   map[uint64]int32
	names  map[uint64]int32
	titles map[uint64]int32 // -1 for a title of several pages
	paths  []string         // "" for a page without a path yet
	taken  map[uint64]struct{}
}

func newPlaces() *places {
	return &places{seed: maphash.MakeSeed(), keys: map[uint64]int32{}, names: map[uint64]int32{}, titles: map[uint64]int32{}, taken: map[uint64]struct{}{}}
}

func (p *places) hash(text string) uint64 { return maphash.String(p.seed, text) }

// has reports whether a page with a key exists.
func (p *places) has(key string) bool {
	_, there := p.keys[p.hash(key)]
	return there
}

// add adds a page, unless one with the key exists.
func (p *places) add(key string) bool {
	h := p.hash(key)
	if _, there := p.keys[h]; there {
		return false
	}
	p.keys[h] = int32(len(p.paths))
	p.paths = append(p.paths, "")
	return true
}

// at returns the path of the page with a key; "" for none.
func (p *places) at(key string) string {
	if i, there := p.keys[p.hash(key)]; there {
		return p.paths[i]
	}
	return ""
}

// put sets the path of the page with a key.
func (p *places) put(key, path string) {
	p.add(key)
	p.paths[p.keys[p.hash(key)]] = path
}

// take marks a path as taken; isTaken reports it, for a path in the form of kb.FoldPath.
func (p *places) take(path string)           { p.taken[p.hash(kb.FoldPath(path))] = struct{}{} }
func (p *places) isTaken(folded string) bool { _, is := p.taken[p.hash(folded)]; return is }

// name assigns a name to the page with a key. A name refers to the last page that got it.
func (p *places) name(name, key string) { p.names[p.hash(name)] = p.keys[p.hash(key)] }

// title assigns a title to the page with a key. A title of several pages refers to none of
// them.
func (p *places) title(title, key string) {
	h, of := p.hash(title), p.keys[p.hash(key)]
	if _, twice := p.titles[h]; twice {
		of = -1
	}
	p.titles[h] = of
}

// named returns the path of the page with a name, key or title, which may be ""; false if
// there is no such page.
func (p *places) named(name string) (path string, there bool) {
	h := p.hash(name)
	for _, pages := range []map[uint64]int32{p.names, p.keys, p.titles} {
		if i, there := pages[h]; there {
			if i < 0 {
				return "", false
			}
			return p.paths[i], true
		}
	}
	return "", false
}
