package reconcile

import (
	"path"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/store"
)

// giveUpAfter is the number of consecutive failures after which a file is skipped
// until its size or time changes.
const giveUpAfter = 3

// comparison is the difference between a scan and the index.
type comparison struct {
	added     []vault.File // files without a row
	suspects  []suspect    // files with a row, and possibly with other bytes
	missing   []store.FileState
	unchanged int
	leftOut   []store.Failure // files that failed too often, and are unchanged
	torn      bool            // missing documents may be in unreadable files
}

// suspect is a file that must be read to determine whether it changed.
type suspect struct {
	file vault.File
	was  store.FileState
}

func modTime(f vault.File) time.Time { return time.Unix(0, f.ModTime) }

// sideTime returns the modification time of a file's sidecar, zero if there is
// none.
func sideTime(f vault.File) time.Time {
	if f.Side == (vault.Side{}) {
		return time.Time{}
	}
	return time.Unix(0, f.Side.ModTime)
}

// otherSide reports whether the sidecar of a file may have other bytes.
func otherSide(f vault.File, was *store.FileState) bool {
	there := f.Side != (vault.Side{})
	return there != was.Side.Exists() ||
		there && (was.Side.Size != f.Side.Size || !was.Side.ModTime.Equal(sideTime(f)) || kb.Racy(sideTime(f), was.Indexed))
}

// compare classifies files of a listing by size and time. All other files of the
// listing match the index, and states are those of all other documents. With full
// set it trusts neither size nor time.
func compare(l *vault.Listing, files []vault.File, states []store.FileState, failures []store.Failure, full bool) comparison {
	c := comparison{torn: !l.Whole(), unchanged: len(l.Files) - len(files)}
	byPath := make(map[string]*store.FileState, len(states))
	for i := range states {
		byPath[states[i].Path] = &states[i]
	}
	failed := make(map[string]store.Failure, len(failures))
	for _, f := range failures {
		failed[f.Path] = f
	}
	seen := make(map[string]bool, len(files))
	for _, f := range files {
		seen[f.Path] = true
		if x, ok := failed[f.Path]; ok && !full && x.Count >= giveUpAfter && x.Size == f.Size && x.ModTime.Equal(modTime(f)) {
			c.leftOut = append(c.leftOut, x)
			continue
		}
		was := byPath[f.Path]
		switch {
		case was == nil:
			c.added = append(c.added, f)
		case full || was.Size != f.Size || !was.ModTime.Equal(modTime(f)) || kb.Racy(modTime(f), was.Indexed) || otherSide(f, was):
			c.suspects = append(c.suspects, suspect{f, *was})
		default:
			c.unchanged++
		}
	}
	for _, s := range states {
		if !seen[s.Path] && l.Covers(s.Path) {
			c.missing = append(c.missing, s)
		}
	}
	return c
}

// drop removes the unreadable files; their documents are unchanged. A new one among
// them may be a document missing elsewhere.
func (c *comparison) drop(failed []store.Failure) {
	bad := make(map[string]bool, len(failed))
	for _, f := range failed {
		bad[f.Path] = true
	}
	found := len(c.added)
	c.added = slices.DeleteFunc(c.added, func(f vault.File) bool { return bad[f.Path] })
	c.torn = c.torn || len(c.added) < found
	c.suspects = slices.DeleteFunc(c.suspects, func(s suspect) bool { return bad[s.file.Path] })
}

// look is the result of reading a file for the plan.
type look struct {
	hash     kb.Hash
	side     kb.Hash
	declared kb.ID      // id in the document, "" for none
	file     vault.File // as read, which may be newer than listed
}

// Plan lists the changes of a sync to the index. After the sync it lists the
// changes made: steps left to the next sync are removed. Lists except Moved are
// sorted by path.
type Plan struct {
	Added     []string
	Changed   []string
	Moved     []Move
	Deleted   []string
	Unchanged int
	LeftOut   []store.Failure // failed several times in a row, skipped
	Documents int             // in the index before

	steps    []step
	touch    []touch
	failed   bool             // files failed before
	synced   time.Time        // time of the last complete sync
	outdated bool             // the space was derived by other rules
	shared   []index.SharedID // in a dry run: ids that several documents have
}

// Changes counts the changed documents.
func (p *Plan) Changes() int {
	return len(p.Added) + len(p.Changed) + len(p.Moved) + len(p.Deleted)
}

// Move is a document found at another path.
type Move struct{ From, To string }

// step is one document to read and index, or to remove.
type step struct {
	change kb.ChangeKind
	file   vault.File       // zero for a deletion
	was    *store.FileState // nil for a new document
}

// touch is a file with unchanged bytes and another time.
type touch struct {
	file vault.File
	was  store.FileState
}

// decide makes the plan. looks holds the known bytes of added and suspect files, by
// path; a file without an entry counts as new or changed.
func decide(c comparison, documents int, looks map[string]look) *Plan {
	p := &Plan{Unchanged: c.unchanged, LeftOut: c.leftOut, Documents: documents}
	m := newMatcher(c.missing)
	var changed []suspect
	for _, s := range c.suspects {
		if l, known := looks[s.file.Path]; known && l.hash == s.was.Hash && l.side == s.was.Side.Hash {
			p.touch = append(p.touch, touch{l.file, s.was})
			p.Unchanged++
			continue
		}
		changed = append(changed, s)
	}
	m.free(changed, looks)
	for i := range changed {
		s := &changed[i]
		was := &s.was
		if from := m.byID(looks[s.file.Path].declared); from != nil {
			m.offer(was) // another document has its path now
			was = from
		} else if m.offered[was] {
			was = nil // its document is at another path now
		}
		p.add(s.file, was)
	}
	for _, f := range c.added {
		p.add(f, m.find(f, looks))
	}
	if c.torn {
		return p // the next sync finds them again, or removes them
	}
	for _, s := range m.left() {
		p.Deleted = append(p.Deleted, s.Path)
		p.steps = append(p.steps, step{change: kb.Deleted, was: s})
	}
	slices.Sort(p.Deleted)
	return p
}

func (p *Plan) add(f vault.File, was *store.FileState) {
	st := step{change: kb.Created, file: f, was: was}
	switch {
	case was == nil:
		p.Added = append(p.Added, f.Path)
	case was.Path != f.Path:
		st.change = kb.Moved
		p.Moved = append(p.Moved, Move{was.Path, f.Path})
	default:
		st.change = kb.Changed
		p.Changed = append(p.Changed, f.Path)
	}
	p.steps = append(p.steps, st)
}

// leave removes steps that were not applied from the lists.
func (p *Plan) leave(left []step) {
	come, gone := map[string]bool{}, map[string]bool{}
	for _, st := range left {
		if st.change == kb.Deleted {
			gone[st.was.Path] = true
		} else {
			come[st.file.Path] = true
		}
	}
	p.Added = slices.DeleteFunc(p.Added, func(path string) bool { return come[path] })
	p.Changed = slices.DeleteFunc(p.Changed, func(path string) bool { return come[path] })
	p.Moved = slices.DeleteFunc(p.Moved, func(m Move) bool { return come[m.To] })
	p.Deleted = slices.DeleteFunc(p.Deleted, func(path string) bool { return gone[path] })
}

// matcher finds the former document of a file at a new path. An offered document
// can be taken once.
type matcher struct {
	ids     map[kb.ID]*store.FileState
	byName  map[twin][]*store.FileState // same bytes and same file name
	byHash  map[kb.Hash][]*store.FileState
	offered map[*store.FileState]bool // true until it is taken
	order   []*store.FileState
}

type twin struct {
	hash kb.Hash
	base string
}

func newMatcher(missing []store.FileState) *matcher {
	m := &matcher{
		ids:    map[kb.ID]*store.FileState{},
		byName: map[twin][]*store.FileState{}, byHash: map[kb.Hash][]*store.FileState{},
		offered: map[*store.FileState]bool{},
	}
	for i := range missing { // sorted by path by the store
		m.offer(&missing[i])
	}
	return m
}

func (m *matcher) offer(s *store.FileState) {
	if _, known := m.offered[s]; known {
		return
	}
	m.offered[s] = true
	m.order = append(m.order, s)
	if s.Declared {
		m.ids[s.ID] = s
	}
	t := twin{s.Hash, path.Base(s.Path)}
	m.byName[t] = append(m.byName[t], s)
	m.byHash[s.Hash] = append(m.byHash[s.Hash], s)
}

// free offers the documents of changed files that declare another id now, if some
// other changed file declares theirs: files that swapped places.
func (m *matcher) free(changed []suspect, looks map[string]look) {
	declared := map[kb.ID]bool{}
	for _, s := range changed {
		if id := looks[s.file.Path].declared; id != "" {
			declared[id] = true
		}
	}
	for i := range changed {
		s := &changed[i]
		if s.was.Declared && looks[s.file.Path].declared != s.was.ID && declared[s.was.ID] {
			m.offer(&s.was)
		}
	}
}

// find matches by id, then by equal bytes: a file with the same name first, then
// the first by path.
func (m *matcher) find(f vault.File, looks map[string]look) *store.FileState {
	l, known := looks[f.Path]
	if !known {
		return nil
	}
	if s := m.byID(l.declared); s != nil {
		return s
	}
	t := twin{l.hash, path.Base(f.Path)}
	if s := m.pop(m.byName[t], func(rest []*store.FileState) { m.byName[t] = rest }); s != nil {
		return s
	}
	return m.pop(m.byHash[l.hash], func(rest []*store.FileState) { m.byHash[l.hash] = rest })
}

func (m *matcher) byID(id kb.ID) *store.FileState {
	s := m.ids[id]
	if s == nil || !m.offered[s] {
		return nil
	}
	m.offered[s] = false
	return s
}

// pop takes the first entry of list that is not taken yet; skipped entries are
// never available again.
func (m *matcher) pop(list []*store.FileState, keep func([]*store.FileState)) *store.FileState {
	for i, s := range list {
		if m.offered[s] {
			m.offered[s] = false
			keep(list[i+1:])
			return s
		}
	}
	keep(nil)
	return nil
}

// left returns the unmatched documents.
func (m *matcher) left() []*store.FileState {
	return slices.DeleteFunc(m.order, func(s *store.FileState) bool { return !m.offered[s] })
}
