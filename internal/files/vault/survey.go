package vault

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

const (
	// maxWorkers is the maximum number of goroutines that list a tree: more only wait for
	// each other.
	maxWorkers = 8
	// describeAtOnce is the number of files of one directory that a goroutine describes in
	// one task; other goroutines can take the rest.
	describeAtOnce = 256
	// maxHeld is the depth up to which directories are opened relative to their parents,
	// which stay open until then. Deeper ones are opened from the root.
	maxHeld = 64
)

// Survey is Scan with the files in no particular order, which is faster: nothing is
// allocated for a file, and all processors list.
func Survey(ctx context.Context, tree fsys.FS, rules Rules) (*Listing, error) {
	s := &scan{tree: tree, rules: rules, list: &Listing{}}
	s.more.L = &s.mu
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	var others sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), maxWorkers) - 1 {
		others.Go(func() { s.work(ctx) })
	}
	s.work(ctx)
	others.Wait()
	if s.err != nil {
		return nil, s.err
	}
	n := 0
	for _, part := range s.parts {
		n += len(part)
	}
	s.list.Files = make([]File, 0, n)
	for _, part := range s.parts {
		s.list.Files = append(s.list.Files, part...)
	}
	for _, skipped := range [][]Skip{s.list.Skipped, s.list.Sidecars} {
		slices.SortStableFunc(skipped, func(a, b Skip) int {
			return strings.Compare(a.Path+"\x00"+string(a.Reason), b.Path+"\x00"+string(b.Reason))
		})
	}
	slices.Sort(s.list.Temps)
	slices.Sort(s.list.Dirs)
	slices.Sort(s.list.Deeper)
	return s.list, nil
}

// start adds the first task, unless the directory is excluded.
func (s *scan) start(ctx context.Context) error {
	var t folderTask
	if dir := path.Clean(s.rules.Below); dir != "." {
		if !fs.ValidPath(dir) || Hidden(dir) {
			return nil
		}
		for _, name := range strings.Split(dir, "/") {
			set, skipped, err := readRules(ctx, s.tree, t.above, t.dir, s.rules.FoldCase, func(name string) bool {
				info, err := s.tree.Lstat(path.Join(t.dir, name))
				return err == nil && info.Mode().IsRegular()
			})
			if err != nil {
				return err
			}
			s.list.Skipped = append(s.list.Skipped, skipped...)
			t = folderTask{dir: path.Join(t.dir, name), above: set}
			if set.ignores(t.dir, true) || !s.isDir(t.dir) {
				return nil
			}
		}
	}
	s.push(t)
	return nil
}

// scan is one listing. Its goroutines take the most recently added task first, so that few
// directories are open at a time.
type scan struct {
	tree  fsys.FS
	rules Rules

	mu    sync.Mutex
	more  sync.Cond // todo or open changed
	todo  []task
	open  int // tasks that are not done
	err   error
	list  *Listing
	parts [][]File
}

// task is a part of the work, which may add further tasks.
type task interface {
	do(ctx context.Context, s *scan) error
	// leave releases the resources of the task, whether it ran or not.
	leave()
}

func (s *scan) push(t task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.todo = append(s.todo, t)
	s.open++
	s.more.Signal()
}

// next returns a task, nil when all are done.
func (s *scan) next() task {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.todo) == 0 && s.open > 0 {
		s.more.Wait()
	}
	if len(s.todo) == 0 {
		return nil
	}
	t := s.todo[len(s.todo)-1]
	s.todo = s.todo[:len(s.todo)-1]
	return t
}

// done records the end of a task. After an error the remaining tasks are
// skipped.
func (s *scan) done(err error) (failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	if s.open--; s.open == 0 {
		s.more.Broadcast()
	}
	return s.err != nil
}

func (s *scan) work(ctx context.Context) {
	for failed := false; ; {
		t := s.next()
		if t == nil {
			return
		}
		var err error
		if !failed {
			if err = ctx.Err(); err == nil {
				err = t.do(ctx, s)
			}
		}
		t.leave()
		failed = s.done(err)
	}
}

// note adds to the listing.
func (s *scan) note(f func(l *Listing)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.list)
}

func (s *scan) skip(name string, reason Reason, err error) {
	s.note(func(l *Listing) {
		l.Skipped = append(l.Skipped, Skip{strings.ToValidUTF8(name, "\uFFFD"), reason, err})
	})
}

func (s *scan) unreadable(name string, err error) {
	s.skip(name, Unreadable, err)
	s.note(func(l *Listing) {
		l.broken = l.broken || !errors.Is(err, fs.ErrPermission)
		l.unknown = append(l.unknown, name)
	})
}

// held is an open directory that several tasks need.
type held struct {
	folder fsys.Folder

	mu    sync.Mutex
	users int
}

func (h *held) use() *held {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.users++
	return h
}

// leave closes the directory when its last user is done. It was only read, so an error of
// the close is ignored.
func (h *held) leave() {
	if h == nil {
		return
	}
	h.mu.Lock()
	h.users--
	last := h.users == 0
	h.mu.Unlock()
	if last {
		_ = h.folder.Close()
	}
}

// folderTask lists one directory.
type folderTask struct {
	dir   string // "" for the root
	depth int
	in    *held    // its parent, nil if it is opened from the root
	above *ruleSet // ignore files of the parent and those above it
}

func (t folderTask) leave() { t.in.leave() }

func (t folderTask) open(tree fsys.FS) (fsys.Folder, error) {
	if t.in == nil {
		return fsys.OpenFolder(tree, orDot(t.dir))
	}
	return t.in.folder.Folder(path.Base(t.dir))
}

// found is a name in a directory.
type found struct {
	end  int // of its path in that of all
	kind fs.FileMode
}

// do reads the whole directory before handling its entries, so that its ignore files are
// known.
func (t folderTask) do(ctx context.Context, s *scan) error {
	folder, err := t.open(s.tree)
	if err != nil {
		return t.failed(s, err)
	}
	h := (&held{folder: folder}).use()
	defer h.leave()
	var all []byte // paths, concatenated
	var names []found
	err = folder.Each(func(name []byte, kind fs.FileMode) {
		if t.dir != "" {
			all = append(append(all, t.dir...), '/')
		}
		all = append(all, name...)
		names = append(names, found{len(all), kind})
	})
	if err != nil {
		return t.failed(s, err)
	}
	s.note(func(l *Listing) { l.Dirs = append(l.Dirs, orDot(t.dir)) })
	return t.sort(ctx, s, h, string(all), names)
}

// failed notes that the directory could not be listed.
func (t folderTask) failed(s *scan, err error) error {
	switch {
	case t.dir == "":
		return fsys.Explain(err, "list the directory")
	case fsys.Missing(err):
		return nil // removed since its parent was listed
	}
	s.unreadable(t.dir, err)
	return nil
}

// sort classifies the entries of the directory.
func (t folderTask) sort(ctx context.Context, s *scan, h *held, paths string, names []found) error {
	base := len(t.dir)
	if base > 0 {
		base++ // the slash
	}
	set, err := t.ignoreFiles(ctx, s, paths, names, base)
	if err != nil {
		return err
	}
	files := describeTask{in: h, base: base, files: make([]File, 0, len(names))}
	from, sided := 0, false
	for _, n := range names {
		name := paths[from:n.end]
		from = n.end
		if s.entry(t, h, name, base, n.kind, set) {
			files.files = append(files.files, File{Path: name})
		}
		if name[base:] == sidecarDir {
			sided = sided || n.kind.IsDir()
			if n.kind.Type() == fs.ModeSymlink {
				s.skipSide(name, SidecarLink)
			}
		}
	}
	if sided {
		files.sides = s.sidecars(t.dir, h, files.files)
	}
	for len(files.files) > describeAtOnce {
		part := files
		part.files = files.files[:describeAtOnce:describeAtOnce]
		part.in.use()
		s.push(part)
		files.files = files.files[describeAtOnce:]
	}
	return files.do(ctx, s)
}

func (t folderTask) ignoreFiles(ctx context.Context, s *scan, paths string, names []found, base int) (*ruleSet, error) {
	set, skipped, err := readRules(ctx, s.tree, t.above, t.dir, s.rules.FoldCase, func(name string) bool {
		if name == ExcludeFile {
			return true
		}
		from := 0
		for _, n := range names {
			if paths[from+base:n.end] == name {
				return n.kind.IsRegular()
			}
			from = n.end
		}
		return false
	})
	for _, skip := range skipped {
		s.skip(skip.Path, skip.Reason, skip.Err)
	}
	return set, err
}

// entry reports whether a name in a directory is a note to be described. It records other
// relevant entries itself.
func (s *scan) entry(t folderTask, h *held, name string, base int, kind fs.FileMode, set *ruleSet) bool {
	if name[base] == '.' {
		switch {
		case kind.IsRegular():
			s.hidden(name, set)
		case kind.IsDir() && name == ownDir:
			s.temps()
		}
		return false
	}
	isDir, isNote := kind.IsDir(), s.rules.IsNote(name)
	if !isDir && !isNote && kind != fs.ModeSymlink || set.ignores(name, isDir) {
		return false
	}
	switch {
	case !utf8.ValidString(name[base:]):
		s.skip(name, NotUTF8, nil)
	case isDir && isGit(name[base:]):
		s.skip(name, GitName, nil)
	case isDir:
		if isNote {
			s.skip(name, DirAsNote, nil)
		}
		sub := folderTask{dir: name, depth: t.depth + 1, above: set}
		if sub.depth == s.rules.Depth {
			s.note(func(l *Listing) { l.Deeper = append(l.Deeper, name) })
			return false
		}
		if sub.depth < maxHeld {
			sub.in = h.use()
		}
		s.push(sub)
	case kind == fs.ModeSymlink:
		s.link(name, isNote)
	case !kind.IsRegular():
		s.skip(name, Special, nil)
	default:
		return true
	}
	return false
}

// ownDir is the one hidden directory that cairn writes to.
const ownDir = ".cairn"

// temps lists the files that killed processes left in ownDir. Errors are ignored: such files
// do no harm.
func (s *scan) temps() {
	entries, err := s.tree.ReadDir(ownDir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Type().IsRegular() && fsys.IsTemp(e.Name()) {
			s.temp(ownDir + "/" + e.Name())
		}
	}
}

func (s *scan) temp(name string) { s.note(func(l *Listing) { l.Temps = append(l.Temps, name) }) }

// hidden reports a hidden file that could be mistaken for a note, such as one
// titled "...". The companion files of macOS (._name) are not reported.
func (s *scan) hidden(name string, set *ruleSet) {
	base := path.Base(name)
	switch {
	case fsys.IsTemp(base):
		s.temp(name)
	case strings.HasPrefix(base, "._") || !s.rules.IsNote("x"+base) || set.ignores(name, false):
	default:
		s.skip(name, HiddenFile, nil)
	}
}

// describeTask takes the sizes and times of notes in one directory.
type describeTask struct {
	in    *held
	base  int // where names begin in paths
	files []File
	sides map[string]Side // see scan.sidecars
}

func (t describeTask) leave() { t.in.leave() }

func (t describeTask) do(_ context.Context, s *scan) error {
	if len(t.files) == 0 {
		return nil
	}
	dir := kb.NewPathSum().Add(t.files[0].Path[:t.base])
	there := t.files[:0]
	for _, f := range t.files {
		name := f.Path[t.base:]
		st, err := t.in.folder.Stat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			s.unreadable(f.Path, err)
		case !st.Type.IsRegular():
			s.skip(f.Path, Special, nil) // since the directory was listed
		case st.Size > s.rules.maxBytes():
			s.skip(f.Path, TooLarge, nil)
		default:
			f.Size, f.ModTime, f.Sum = st.Size, st.ModTime, dir.Add(name).File(st.Size, st.ModTime)
			f.beside(t.sides)
			there = append(there, f)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts = append(s.parts, there)
	return nil
}
