package fsys

import (
	"bytes"
	"maps"
	"slices"
)

// Keep decides whether something that is not durable survives the power failure: a change of
// names, or the bytes written to a file since its last Sync.
type Keep func() bool

// KeepAll and KeepNone are the two extremes; a random choice is in between:
//
//	func() bool { return rng.IntN(2) == 0 }
func KeepAll() bool  { return true }
func KeepNone() bool { return false }

// CrashClone returns a possible state of the tree after a power failure now.
// Flushed data survives: bytes after File.Sync, names after SyncDir. keep is
// called for each unflushed change, in order; a change that depends on a lost
// one is lost, too, and a file may keep a part of its unflushed bytes. A rename
// is kept or lost as a whole. The clone is fully durable and shares nothing
// with m.
func (m *Mem) CrashClone(keep Keep) *Mem {
	m.mu.Lock()
	defer m.mu.Unlock()
	lost := map[place]bool{}
	names := map[*node]map[string]*node{}
	for _, c := range m.pending {
		ok := !slices.ContainsFunc(c, func(e edit) bool { return lost[e.place()] }) && keep()
		for _, e := range c {
			if !ok {
				lost[e.place()] = true
				continue
			}
			if names[e.dir] == nil {
				names[e.dir] = maps.Clone(e.dir.durable)
			}
			e.apply(names[e.dir])
		}
	}
	k := &crash{keep: keep, names: names, done: map[*node]*node{}}
	return &Mem{now: m.now, root: k.clone(m.root)}
}

// place is one name in one directory.
type place struct {
	dir  *node
	name string
}

func (e edit) place() place { return place{e.dir, e.name} }

// settle makes durable the pending changes with an edit that is wanted, and the earlier
// changes of the same names.
func (m *Mem) settle(wanted func(edit) bool) {
	needed := map[place]bool{}
	take := make([]bool, len(m.pending))
	for i, c := range slices.Backward(m.pending) {
		if !slices.ContainsFunc(c, func(e edit) bool { return wanted(e) || needed[e.place()] }) {
			continue
		}
		take[i] = true
		for _, e := range c {
			needed[e.place()] = true
		}
	}
	var rest []change
	for i, c := range m.pending {
		if !take[i] {
			rest = append(rest, c)
			continue
		}
		for _, e := range c {
			e.apply(e.dir.durable)
		}
	}
	m.pending = rest
}

// crash copies what survives.
type crash struct {
	keep  Keep
	names map[*node]map[string]*node // surviving names, where not just durable
	done  map[*node]*node            // hard links stay one file
}

func (k *crash) clone(n *node) *node {
	if c := k.done[n]; c != nil {
		return c
	}
	c := &node{mode: n.mode, mtime: n.mtime, target: n.target}
	k.done[n] = c
	if !n.mode.IsDir() {
		c.data = k.bytes(n)
		c.synced = c.data
		return c
	}
	names, changed := k.names[n]
	if !changed {
		names = n.durable
	}
	c.names = make(map[string]*node, len(names))
	// In a fixed order, so that one seed always has the same result.
	for _, name := range slices.Sorted(maps.Keys(names)) {
		c.names[name] = k.clone(names[name])
	}
	c.durable = maps.Clone(c.names)
	return c
}

// bytes returns the surviving content of a file: all of it when it was flushed.
// Otherwise all, the first half of the added bytes, or only the flushed ones.
func (k *crash) bytes(n *node) []byte {
	if bytes.Equal(n.data, n.synced) || k.keep() {
		return slices.Clone(n.data)
	}
	if k.keep() && len(n.data) > len(n.synced) {
		return slices.Clone(n.data[:len(n.synced)+(len(n.data)-len(n.synced))/2])
	}
	return slices.Clone(n.synced)
}
