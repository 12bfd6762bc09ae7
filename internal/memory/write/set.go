package write

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/schemas"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lint"
	"github.com/cairn-kb/cairn/internal/store"
)

// MaxDocument is the largest document that is read or written, in bytes.
const MaxDocument = 64 << 20

// changeSet is a request being worked out: every touched document with its
// bytes as they are and as they shall be. Nothing is written by it.
type changeSet struct {
	w    *Writer
	req  Request
	now  time.Time
	docs []*target // in the order in which they were first touched

	generated []op          // on index files
	catalogs  []*cataloguer // of those

	at map[docKey]*target

	ahead map[docKey]onDisk // documents that were read before their turn

	// alone is set when the set depends on relations of others in the index: no
	// unindexed set may precede it.
	alone bool

	linking []*Space // other spaces than those of the changes, with links to update or pages affected by relations
	again   bool     // no other spaces are affected

	gone    map[int64][]*target        // documents that the set deletes, by space, while timelines are checked
	schemas map[int64]*schemas.Schemas // by space, once they are looked for

	// whole is set while a document is put or deleted whole: that finishes a
	// merge, and the text with its markers becomes the version before.
	whole bool
}

// docKey is where a document of a change set will be.
type docKey struct {
	space int64
	path  string
}

// target is one document of a change set.
type target struct {
	space *Space
	path  string          // where it is now, or where it will be made
	row   *store.Document // nil when there is no such document
	old   []byte          // nil when there is none
	new   []byte
	to    string // where it will be
	gone  bool   // it will be deleted
	put   *Put   // the action that set its bytes; nil for none
	notes []string
	side  sidecarChange

	edited  bool // it gets edits of the request
	renamed bool // it gets another path or title, which links to it follow
	relates bool // it gets a relation

	differs bool // its text changed, and old is released

	kept []int // positions of the links that were rewritten to keep their target, among the targets
}

func (t *target) exists() bool { return t.row != nil }

func (t *target) changed() bool { return t.textChanged() || t.sideOp() != nil }

// textChanged reports whether the document itself is not as it was, at its path.
func (t *target) textChanged() bool {
	if !t.exists() {
		return !t.gone && t.new != nil // nil for a linking page that a foreseen reader lacks
	}
	return t.differs || t.gone || t.to != t.path || string(t.old) != string(t.new)
}

// doAll works all changes into the set. Where documents refuse theirs, the error
// names each of them.
func (s *changeSet) doAll(ctx context.Context) error {
	refused := refusals{changes: len(s.req.Changes)}
	for _, space := range spacesOf(s.req.Changes) {
		var paths []string
		for _, c := range s.req.Changes {
			if c.Space.Row == space.Row {
				paths = append(paths, c.Path)
			}
		}
		slices.Sort(paths)
		if err := s.readAhead(ctx, space, slices.Compact(paths)); err != nil {
			return err
		}
	}
	for _, c := range s.req.Changes {
		if refused.has(c.Path) {
			continue
		}
		err := s.do(ctx, c)
		if err != nil && !refused.add(c.Path, err) {
			return err
		}
		if move, ok := c.Action.(Move); ok && err != nil {
			refused.after = append(refused.after, move.To)
		}
	}
	if err := s.checkTwins(ctx, &refused); err != nil {
		return err
	}
	return refused.err()
}

// do works one change into the set.
func (s *changeSet) do(ctx context.Context, c Change) error {
	switch c.Action.(type) {
	case Put, Delete:
		s.whole = true
	}
	t, err := s.target(ctx, c.Space, c.Path)
	s.whole = false
	if err != nil {
		return err
	}
	if c.Of != "" && t.exists() && t.row.ID != c.Of {
		return kb.Errorf(kb.Conflict, "%s is another page than a moment ago", t.path).WithHint("Nothing was written. Try again.").With("current_version", t.row.Version)
	}
	if err := s.allow(t, c.Action); err != nil {
		return err
	}
	if err := s.checkVersion(t, c); err != nil {
		return err
	}
	if err := s.checkSide(ctx, t, c.Action); err != nil {
		return err
	}
	switch a := c.Action.(type) {
	case Put:
		return s.put(t, a)
	case Edit:
		return s.edit(t, a)
	case Move:
		return s.move(ctx, t, a)
	case Delete:
		if !t.exists() {
			return missing(t)
		}
		t.gone, t.side.new = true, nil
		return nil
	case EditSide:
		return s.editSide(t, a)
	case PutSide:
		return s.putSide(t, a)
	}
	return kb.Errorf(kb.Internal, "unknown action %T", c.Action)
}

// target returns the document at path with its current bytes. A document that
// another program changed since it was indexed is indexed first, so that
// versions match the disk.
func (s *changeSet) target(ctx context.Context, space *Space, path string) (*target, error) {
	if t := s.at[docKey{space.Row, path}]; t != nil {
		return t, nil
	}
	t := &target{space: space, path: path, to: path}
	var err error
	if space.Files == nil {
		err = s.readRow(ctx, t)
	} else {
		err = s.readFile(ctx, t)
	}
	if err != nil {
		return nil, err
	}
	t.new, t.side.new = t.old, t.side.old
	s.docs = append(s.docs, t)
	s.place(t, path)
	return t, nil
}

// place puts a document where it will be. Of two there the first one counts that
// stays.
func (s *changeSet) place(t *target, to string) {
	if s.at == nil {
		s.at = map[docKey]*target{}
	}
	if was := (docKey{t.space.Row, t.to}); s.at[was] == t {
		delete(s.at, was)
	}
	t.to = to
	if key := (docKey{t.space.Row, to}); s.at[key] == nil || s.at[key].gone {
		s.at[key] = t
	}
}

// readRow reads a document of a database space.
func (s *changeSet) readRow(ctx context.Context, t *target) error {
	return s.w.Memory.View(ctx, func(tx store.Tx) error {
		row, err := tx.Documents().ByPath(ctx, t.space.Row, t.path)
		if kb.CodeOf(err) == kb.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		t.row = row
		if t.old, err = tx.History().Bytes(ctx, row.Hash); err != nil {
			return err
		}
		side, err := index.StoredSide(ctx, tx, row.Side)
		t.side.old = side.Bytes
		return err
	})
}

// readFile reads a document of a directory space.
func (s *changeSet) readFile(ctx context.Context, t *target) error {
	key := docKey{t.space.Row, t.path}
	now, ok := s.ahead[key]
	if !ok {
		now = readDocument(ctx, t.space.Files, t.path)
	}
	delete(s.ahead, key)
	if now.err != nil {
		return now.err
	}
	t.old = now.Bytes
	row, err := now.row, error(nil)
	if !ok {
		row, err = s.w.rowAt(ctx, t.space, t.path)
	}
	if err != nil {
		return err
	}
	if err := unmerged(row, t.path, t.old); err != nil && !s.whole {
		return err
	}
	if now.sideErr != nil && !errors.Is(now.sideErr, errNoSidecar) {
		return now.sideErr
	}
	t.side.old, t.side.blocked = now.Side.Bytes, now.sideErr
	if t.row, err = s.w.refresh(ctx, t.space, t.path, row, now.Found); t.row != row {
		s.ahead = nil // indexing it may have changed the rows of others
	}
	return err
}

// onDisk is a document of a directory space as it was read.
type onDisk struct {
	Found
	err, sideErr error
	row          *store.Document // nil for none, and before it is looked for
}

// readDocument reads the files of a document.
func readDocument(ctx context.Context, files fsys.FS, path string) (now onDisk) {
	bytes, info, err := fsys.ReadFile(ctx, files, path, MaxDocument)
	switch {
	case err == nil:
		now.Bytes, now.ModTime = bytes, info.ModTime()
	case !errors.Is(err, fs.ErrNotExist):
		now.err = fsys.Explain(err, "read %s", path)
		return now
	}
	now.Side, now.sideErr = readSide(ctx, files, path)
	return now
}

// readAhead reads documents side by side, and their rows at once, that will be asked for
// one after the other.
func (s *changeSet) readAhead(ctx context.Context, space *Space, paths []string) error {
	if space.Files == nil || len(paths) < 2 {
		return nil
	}
	if s.ahead == nil {
		s.ahead = make(map[docKey]onDisk, len(paths))
	}
	found := make([]onDisk, len(paths))
	_ = each(len(paths), func(i int) error {
		found[i] = readDocument(ctx, space.Files, paths[i])
		return nil // the error is that of its document
	})
	return s.w.Memory.View(ctx, func(tx store.Tx) (err error) {
		for i, p := range paths {
			if found[i].row, err = rowAt(ctx, tx, space, p); err != nil {
				return err
			}
			s.ahead[docKey{space.Row, p}] = found[i]
		}
		return nil
	})
}

// unmerged refuses to make a new version of a page from a file with an
// unfinished merge: until then the page stays as it was. A new page is indexed
// even so, since it has no earlier state.
func unmerged(row *store.Document, path string, bytes []byte) error {
	if row == nil || row.Hash == index.Hash(bytes) {
		return nil
	}
	line := doc.ConflictLine(bytes)
	if line == 0 {
		return nil
	}
	return kb.Errorf(kb.Conflict, "%s has merge conflict markers from line %d on: the page stays as it was before", path, line).
		WithHint("Nothing was changed. Finish the merge in an editor first.").With("unmerged", line).With("path", path)
}

// IsUnmerged reports whether an error means an unfinished merge of a file.
func IsUnmerged(err error) bool {
	return err != nil && kb.AsError(err).Details["unmerged"] != nil
}

// FileState is the state of a file compared with the index.
type FileState int

// What there is to find.
const (
	FileSame     FileState = iota // the file is as it is known
	FileChanged                   // it was not, and was indexed
	FileNewer                     // it is not, and others are writing: the index is older
	FileUnmerged                  // it is not, and has conflict markers: the index stays
)

// leastWait is the minimum time to wait for a space within the process: it may
// be free soon.
const leastWait = 20 * time.Millisecond

// Known holds the hashes of a document and its sidecar.
type Known struct{ Text, SidecarHash kb.Hash }

// RefreshIfChanged indexes the file at path if its bytes, or those of its
// sidecar, differ from known. It takes the space's lock if needed. Where that is held, or
// others are writing, for longer than wait, the index stays and is read.
func (w *Writer) RefreshIfChanged(ctx context.Context, space *Space, path string, known Known, wait time.Duration) (found FileState, err error) {
	sum, _, err := fsys.Sum(ctx, space.Files, path, MaxDocument)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return FileSame, fsys.Explain(err, "read %s", path)
	}
	if !missing && kb.Hash(sum) == known.Text {
		side, err := Beside(ctx, space.Files, path)
		if err != nil || side.Hash() == known.SidecarHash || MayNotReadBeside(space.Files, path) {
			return FileSame, err
		}
	} else if !missing {
		switch now, err := bytesAt(ctx, space.Files, path); {
		case err != nil:
			return FileSame, err
		case doc.ConflictLine(now) > 0:
			return FileUnmerged, nil
		}
	}
	wait = store.Patience(ctx, wait)
	ctx = store.WithPatience(ctx, wait)
	entering, cancel := context.WithTimeout(ctx, max(wait, leastWait))
	defer cancel()
	unlock, err := w.enter(entering, []*Space{space}, nil)
	if ctx.Err() == nil && (store.IsBusy(err) || errors.Is(err, context.DeadlineExceeded)) {
		return FileNewer, nil
	}
	if err != nil {
		return FileSame, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	// The file is read again: the difference may have been a write going on.
	set := &changeSet{w: w, now: w.Now()}
	if _, err = set.target(ctx, space, path); store.IsBusy(err) {
		return FileNewer, nil
	}
	return FileChanged, err
}

// Found is a document as read; Bytes are nil without one.
type Found struct {
	Bytes   []byte
	ModTime time.Time
	Side    index.Side
}

// Refresh updates the index to the file at path, given its content, and returns
// its row (nil without one). The caller holds the space's lock. Like
// Space.Present it fails rather than removing a document because its whole
// directory is missing.
func (w *Writer) Refresh(ctx context.Context, space *Space, path string, found Found) (*store.Document, error) {
	row, err := w.rowAt(ctx, space, path)
	if err != nil {
		return nil, err
	}
	return w.refresh(ctx, space, path, row, found)
}

// refresh is Refresh for a path at which this row is.
func (w *Writer) refresh(ctx context.Context, space *Space, path string, row *store.Document, found Found) (*store.Document, error) {
	item := index.Item{}
	switch {
	case found.Bytes == nil && row == nil, found.Bytes != nil && row != nil && row.Hash == index.Hash(found.Bytes) && row.Side.Hash == found.Side.Hash():
		return row, nil
	case found.Bytes == nil:
		if err := space.Present(); err != nil {
			return nil, err
		}
		item = index.Item{Change: kb.Deleted, Row: row.Row, ID: row.ID, Path: path}
	default:
		item = index.Item{Change: kb.Created, Derived: w.Derive(space, path, found)}
		if row != nil {
			item.Change = kb.Changed
			item.Derived.Record.Row, item.Derived.Record.ID = row.Row, row.ID
		}
	}
	wr := kb.Write{Time: w.Now(), Actor: kb.Actor{Kind: kb.Sync}, Operation: "sync"}
	err := w.Memory.Update(ctx, func(tx store.Tx) error {
		if _, err := w.Index.Commit(ctx, tx, &wr, []index.Group{{Space: space.Space, Items: []index.Item{item}}}); err != nil {
			return err
		}
		var err error
		row, err = rowAt(ctx, tx, space, path)
		return err
	})
	return row, err
}

// Derive reads a document of the space as it is now.
func (w *Writer) Derive(space *Space, path string, found Found) *index.Derived {
	return index.Derive(doc.ForNote(w.Codecs, space.Syntax, path), index.Source{
		Space: space.Space, Path: path, Bytes: found.Bytes, ModTime: found.ModTime, Side: found.Side, Now: w.Now(),
	}, w.Mask)
}

func (s *changeSet) put(t *target, a Put) error {
	if len(a.Bytes) > MaxDocument {
		return kb.Errorf(kb.Invalid, "%s would be %d bytes, more than the %d that a page may have", t.path, len(a.Bytes), MaxDocument)
	}
	if !t.exists() {
		if err := s.checkNewPath(t, t.path); err != nil {
			return err
		}
	}
	t.new, t.gone, t.put = a.Bytes, false, &a
	if t.new == nil {
		t.new = []byte{}
	}
	return nil
}

func (s *changeSet) edit(t *target, a Edit) error {
	if !t.exists() || t.gone {
		return missing(t)
	}
	codec := doc.ForNote(s.w.Codecs, t.space.Syntax, t.path)
	before := codec.Parse(t.to, t.new)
	if section := t.space.Policy.DaySection(t.path); section != "" && a.Node == "" {
		a.Edits = inDaySection(before, section, a.Edits)
	}
	bytes, err := codec.Apply(before, a.Node, a.Edits...)
	if err != nil {
		return err
	}
	t.new, t.edited = bytes, true
	t.renamed = t.renamed || renames(a.Edits)
	t.relates = t.relates || slices.ContainsFunc(a.Edits, func(e doc.Edit) bool { _, relates := e.(doc.AddRelation); return relates })
	return nil
}

// inDaySection gives text that is appended to a page of the day without a section to
// this one: at the end of the page it would be part of the last section.
func inDaySection(d *doc.Document, section string, edits []doc.Edit) []doc.Edit {
	if _, err := d.Nodes[0].Section(section); err != nil {
		return edits
	}
	out := slices.Clone(edits)
	for i, e := range out {
		if e, ok := e.(doc.Append); ok && e.Section == "" {
			out[i] = doc.Append{Section: section, Text: e.Text}
		}
	}
	return out
}

// checkVersion compares the version that the caller saw.
func (s *changeSet) checkVersion(t *target, c Change) error {
	current := 0
	if t.exists() {
		current = t.row.Version
	}
	switch {
	case c.Expected == nil:
		if a, ok := c.Action.(Put); ok && t.exists() && !a.Overwrite {
			return kb.Errorf(kb.Conflict, "%s exists already, in version %d", t.path, current).
				WithHint("Nothing was changed.").WithReason(kb.PageExists).
				With("current_version", current).With("path", t.path)
		}
		return nil
	case *c.Expected == current:
		return nil
	case current == 0:
		return kb.Errorf(kb.Conflict, "%s does not exist, so it is not in version %d", t.path, *c.Expected).
			WithHint("Nothing was changed.").WithReason(kb.PageNotFound).
			With("current_version", 0).With("expected_version", *c.Expected).With("path", t.path)
	case *c.Expected == 0:
		return kb.Errorf(kb.Conflict, "%s exists already, in version %d, and was expected not to", t.path, current).
			WithHint("Nothing was changed. Read it and edit it, or choose another path.").
			With("current_version", current).With("expected_version", 0).With("path", t.path)
	}
	return kb.Errorf(kb.Conflict, "%s is in version %d, not %d: it changed since it was read", t.path, current, *c.Expected).
		WithHint("Nothing was changed. Read the current version and repeat the change on it.").
		With("current_version", current).With("expected_version", *c.Expected).With("path", t.path)
}

// allow asks the policy of each space that holds the document.
func (s *changeSet) allow(t *target, a Action) error {
	op := policy.OpEdit
	switch a := a.(type) {
	case Put:
		op = policy.OpWrite
		if !t.exists() {
			op = policy.OpCreate
		}
	case Edit:
		if adds, contests := doc.OnlyAdds(a.Edits); contests {
			op = policy.OpContest
		} else if adds {
			op = policy.OpAppend
		}
	case Move:
		op = policy.OpMove
	case Delete:
		op = policy.OpDelete
	case EditSide:
		if !slices.ContainsFunc(a.Edits, func(e sidecar.Edit) bool { return !e.Adds() }) {
			op = policy.OpAppend
		}
	case PutSide:
		op = policy.OpWrite
	}
	asked := policy.Request{Actor: s.req.Actor, Operation: op, Path: t.path, TakesBack: s.req.TakesBack, Metadata: func() map[string][]string {
		if !t.exists() {
			return nil
		}
		return lint.Content(doc.ForNote(s.w.Codecs, t.space.Syntax, t.path).Parse(t.path, t.old)).Metadata
	}, Becomes: func() map[string][]string { return s.becomes(t, a) }}
	if m, ok := a.(Move); ok {
		return t.space.checkMove(asked, m.To)
	}
	return t.space.Check(asked)
}

// becomes is the metadata that a page has after a change.
func (s *changeSet) becomes(t *target, a Action) map[string][]string {
	switch a := a.(type) {
	case Put:
		return lint.Content(doc.ForNote(s.w.Codecs, t.space.Syntax, t.path).Parse(t.path, a.Bytes)).Metadata
	case Edit:
		// Any edit may change metadata: a replacement of text does.
		codec := doc.ForNote(s.w.Codecs, t.space.Syntax, t.path)
		if text, err := codec.Apply(codec.Parse(t.path, t.new), a.Node, a.Edits...); err == nil { // else it is refused anyhow
			return lint.Content(codec.Parse(t.path, text)).Metadata
		}
	}
	return nil
}

// checkNewPath refuses places where no page may be made, or t moved to.
func (s *changeSet) checkNewPath(t *target, path string) error {
	if doc.ForPath(s.w.Codecs, path) == nil {
		return kb.Errorf(kb.Usage, "%s is not the name of a note", path).
			WithHint("Notes end in %s.", strings.Join(s.extensions(), ", "))
	}
	return t.space.CheckPath(path)
}

// arrives reports whether the document will be where it is not.
func (t *target) arrives() bool {
	return !t.gone && (t.exists() && t.to != t.path || !t.exists() && t.put != nil)
}

// checkTwins refuses paths that some system would treat as that of another
// page: copying or checking out the space there would lose one of them.
func (s *changeSet) checkTwins(ctx context.Context, refused *refusals) error {
	if s.req.Undoes != 0 || s.req.Operation == "undo" {
		return nil // they existed before, next to the same pages
	}
	for _, space := range s.spaces() {
		var (
			arriving []string
			together vault.Spellings
			twins    map[string]string
			leaving  = map[int64]bool{}
		)
		for _, t := range s.docs {
			if t.space.Row == space.Row && t.exists() && (t.gone || t.to != t.path) {
				leaving[t.row.Row] = true
			}
			if t.space.Row == space.Row && t.arrives() && (t.put == nil || !t.put.Twin) {
				arriving = append(arriving, t.to)
			}
		}
		if len(arriving) == 0 {
			continue
		}
		err := s.w.Memory.View(ctx, func(tx store.Tx) (err error) {
			twins, err = tx.Documents().Twins(ctx, space.Row, arriving, leaving)
			return err
		})
		if err != nil {
			return err
		}
		for _, t := range s.docs {
			if t.space.Row != space.Row || !t.arrives() || t.put != nil && t.put.Twin {
				continue
			}
			if twin := cmp.Or(together.Add(t.to), twins[t.to]); twin != "" {
				refused.add(t.path, twinOf(t.to, twin))
			}
		}
	}
	return nil
}

func twinOf(path, twin string) error {
	return kb.Errorf(kb.Conflict, "%s would be the same file as %s, or in the same directory, on systems that ignore case and accents' encoding", path, twin).
		WithHint("Nothing was changed. Use the existing page, or the exact spelling of the directory, or choose another name.").
		With("path", twin)
}

func (s *changeSet) extensions() []string {
	var out []string
	for _, c := range s.w.Codecs {
		out = append(out, c.Extensions()...)
	}
	return out
}

func missing(t *target) error {
	return kb.Errorf(kb.NotFound, "no page at %s in %s", t.path, t.space.Name)
}
