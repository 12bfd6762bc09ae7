package sessions

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cairn-kb/cairn/internal/doc/transcript"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/store"
)

const (
	// stateFile is the state file of a space of sessions, relative to its root.
	stateFile = ".cairn/sessions.json"
	// maxState limits the size of the state file, in bytes.
	maxState = 256 << 20
	// maxWhole is the maximum size of a transcript in the form of a single object.
	maxWhole = 64 << 20
	// maxLine is the maximum length of a line, large enough for pictures. A longer
	// line is skipped and counted.
	maxLine = 32 << 20
	// maxBefore is how many bytes before the offset are compared to check that a
	// transcript was only appended to.
	maxBefore = 512
	// spare is how many old versions of pages are kept. A page gets a version each
	// time that its transcript grows, and old ones are not needed.
	spare = 64
)

// state is the state of a space of sessions.
type state struct {
	Rules   string             `json:"rules"` // policy rules with which sources were read
	Grown   int                `json:"grown"` // versions of pages since the last prune
	Sources map[string]*source `json:"sources"`
}

// source is one transcript.
type source struct {
	Size    int64               `json:"size"`
	ModTime int64               `json:"mod_time"`
	Offset  int64               `json:"offset"`           // read offset
	Before  string              `json:"before,omitempty"` // hash of the bytes before the offset
	Page    string              `json:"page,omitempty"`   // path; "" for a session that is not shown
	Gone    bool                `json:"gone,omitempty"`   // the client deleted it
	Session *transcript.Session `json:"session"`
}

// ended returns when the session ended: the last change of the transcript if its
// lines have no time.
func (s *source) ended() time.Time {
	if s.Session.Ended.IsZero() {
		return time.Unix(0, s.ModTime).UTC()
	}
	return s.Session.Ended
}

// mirrors caches the states of spaces.
type mirrors struct {
	mu  sync.Mutex
	all map[kb.ID]kept
}

type kept struct {
	state *state
	file  fs.FileInfo
}

// Refresh updates the pages of a space of sessions from the transcripts. For any
// other space it does nothing. It does not wait for another process that is
// refreshing the space.
func Refresh(ctx context.Context, sess *memory.Session, s kb.Space, open OpenDatabase) (changed bool, err error) {
	if !space.OfSessions(s) || !sess.Writable() || sess.Temporary {
		return false, nil
	}
	at, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil || at.Files == nil || !at.Policy.Sessions.On() {
		return false, err
	}
	unlock, err := sess.DB.Lock(ctx, "sessions-"+string(s.ID), store.Exclusive, 0)
	if store.IsBusy(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	known, err := read(ctx, sess, s, at.Files)
	if err != nil {
		return false, err
	}
	// Other goroutines may be reading the state.
	own := &state{Rules: known.Rules, Grown: known.Grown, Sources: make(map[string]*source, len(known.Sources))}
	for name, x := range known.Sources {
		x := *x
		own.Sources[name] = &x
	}
	m := &mirror{sess: sess, space: s, open: open, files: at.Files, rules: at.Policy.Sessions, state: own, databases: map[string]Database{}}
	defer func() {
		for _, db := range m.databases {
			err = errors.Join(err, db.Close())
		}
	}()
	return m.refresh(ctx)
}

// mirror is the state of one refresh.
type mirror struct {
	sess  *memory.Session
	space kb.Space
	files fsys.FS
	rules policy.Sessions

	open      OpenDatabase
	databases map[string]Database // open ones, by file

	mu    sync.Mutex // guards state and taken
	state *state
	taken map[string]string // source by page
}

func (m *mirror) refresh(ctx context.Context) (changed bool, err error) {
	rules, err := json.Marshal(m.rules)
	if err != nil {
		return false, err
	}
	all := m.state.Rules != string(rules)
	m.taken = map[string]string{}
	for name, s := range m.state.Sources {
		if s.Page != "" {
			m.taken[s.Page] = name
		}
	}
	since := m.rules.Since(m.sess.Now())
	found := map[string]bool{}
	var changes []file
	for _, f := range m.sources(ctx) {
		found[f.path] = true
		s := m.state.Sources[f.path]
		old := time.Unix(0, f.modTime).Before(since)
		switch {
		case old && s == nil:
		case all || s == nil || s.Gone || s.Size != f.size || s.ModTime != f.modTime:
			changes = append(changes, f)
		}
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	changed = all && len(m.state.Sources) > 0
	for name, s := range m.state.Sources {
		if !found[name] && !s.Gone {
			s.Gone, changed = true, true
		}
		if s.Page == "" || m.shows(s, since) {
			continue
		}
		if err := m.hide(s); err != nil {
			return changed, err
		}
		changed = true
	}
	if len(changes) > 0 {
		// Largest first: they take the longest.
		slices.SortFunc(changes, func(a, b file) int { return cmp.Compare(b.size, a.size) })
		changed = true
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(max(1, m.sess.Workers))
		for _, f := range changes {
			g.Go(func() error {
				err := m.take(ctx, f, since)
				if kb.CodeOf(err) == kb.Conflict { // it changed in the meantime, and is read next time
					return nil
				}
				if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
					return fmt.Errorf("read the transcript %s: %w", f.path, err)
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			return true, errors.Join(err, m.save(context.WithoutCancel(ctx)))
		}
	}
	if !changed && !all {
		return false, nil
	}
	m.state.Rules = string(rules)
	if m.state.Grown >= spare {
		if err := m.prune(ctx); err != nil {
			return changed, err
		}
		m.state.Grown = 0
	}
	return changed, m.save(ctx)
}

// sources lists the transcripts, in files and in databases.
func (m *mirror) sources(ctx context.Context) (out []file) {
	for _, f := range list(ctx, m.sess.Place, m.rules) {
		if f.client != transcript.OpenCode {
			out = append(out, f)
			continue
		}
		all, err := m.sessions(ctx, f.path)
		if err != nil {
			if ctx.Err() == nil {
				m.sess.Notices.Add(kb.AsError(err).Message)
			}
			for name, s := range m.state.Sources { // known sessions are unchanged
				if base, id, ok := strings.Cut(name, "#"); ok && base == f.path && !s.Gone {
					out = append(out, file{client: f.client, path: name, id: id, modTime: s.ModTime})
				}
			}
			continue
		}
		for id, at := range all {
			out = append(out, file{client: f.client, path: f.path + "#" + id, id: id, modTime: at.UnixNano()})
		}
	}
	return out
}

// sessions opens a database, and returns when each of its sessions last changed.
func (m *mirror) sessions(ctx context.Context, file string) (map[string]time.Time, error) {
	db, err := m.open(ctx, file)
	if err != nil {
		return nil, err
	}
	m.databases[file] = db
	return db.Sessions(ctx)
}

// shows reports whether the policy shows a session.
func (m *mirror) shows(s *source, since time.Time) bool {
	return s.Session.Turns > 0 && !s.Session.Sub && !s.ended().Before(since) &&
		slices.Contains(m.rules.Clients, string(s.Session.Client)) && m.rules.Reads(s.Session.Project, m.sess.Place.Home)
}

// hide removes the page of a session that is no longer shown.
func (m *mirror) hide(s *source) error {
	err := m.files.Remove(s.Page)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fsys.Explain(err, "remove %s", s.Page)
	}
	delete(m.taken, s.Page)
	s.Page = ""
	return nil
}

// take reads the new lines of a transcript, and writes its page.
func (m *mirror) take(ctx context.Context, f file, since time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	old := m.state.Sources[f.path]
	m.mu.Unlock()
	next := source{Size: f.size, ModTime: f.modTime}
	var body []byte
	whole := strings.HasSuffix(f.path, ".json") || f.id != ""
	if old != nil && !whole && f.size >= old.Offset && old.Page != "" && appended(f, old) {
		if page, _, err := fsys.ReadFile(ctx, m.files, old.Page, maxState); err == nil {
			if text, ok := withoutHead(page); ok && len(text) == old.Session.Size {
				own, err := clone(old.Session)
				if err != nil {
					return err
				}
				next.Session, next.Offset, body = own, old.Offset, text
			}
		}
	}
	if next.Session == nil {
		next.Session = &transcript.Session{Client: f.client, Project: projectBy(f)}
	}
	add, err := m.lines(ctx, f, &next, whole)
	if err != nil {
		return err
	}
	if whole && f.id == "" && old != nil && old.Page != "" && next.Session.ID == "" && next.Session.Turns == 0 {
		next = *old // partly written: keep the page
		next.Size, next.ModTime, next.Gone = f.size, f.modTime, false
		m.mu.Lock()
		defer m.mu.Unlock()
		m.state.Sources[f.path] = &next
		return nil
	}
	if !m.rules.Reads(next.Session.Project, m.sess.Place.Home) {
		add, next.Offset, next.Before = nil, 0, ""
		next.Session = &transcript.Session{Client: f.client, Project: next.Session.Project}
	}
	if next.Session.ID == "" {
		next.Session.ID = idBy(f.path)
	}
	masked(next.Session)
	add = hidden(add)
	next.Session.Size = len(body) + len(add)
	shown := m.shows(&next, since)

	m.mu.Lock()
	defer m.mu.Unlock()
	m.state.Sources[f.path] = &next
	if old != nil && old.Page != "" {
		next.Page = old.Page
		if !shown {
			return m.hide(&next)
		}
		m.state.Grown++
	}
	if !shown {
		return nil
	}
	if next.Page == "" {
		next.Page = m.free(next.Session.Path(), f.path)
	}
	if err := m.private(path.Dir(next.Page)); err != nil {
		return err
	}
	page := slices.Concat(hidden(next.Session.Head()), body, add)
	// Not flushed: after a crash, lost data is read from the transcript again.
	err = fsys.WriteAtomic(ctx, m.files, next.Page, page, fsys.Any(), fsys.WriteOptions{Perm: 0o600, DirLater: true, FlushLater: true})
	return fsys.Explain(err, "write %s", next.Page)
}

// appended reports whether the bytes of a transcript before the offset are
// unchanged.
func appended(f file, old *source) bool {
	if old.Before == "" { // an earlier version stored no hash
		return true
	}
	in, err := fsys.OpenRegular(f.path)
	if err != nil {
		return false
	}
	defer func() { _ = in.Close() }()
	have, err := hashBefore(in, old.Offset)
	return err == nil && have == old.Before
}

// hashBefore hashes the last bytes before an offset.
func hashBefore(in io.ReaderAt, offset int64) (string, error) {
	from := max(0, offset-maxBefore)
	sum := sha256.New()
	_, err := io.Copy(sum, io.NewSectionReader(in, from, offset-from))
	return hex.EncodeToString(sum.Sum(nil)[:8]), err
}

// private creates a directory that only the user can open.
func (m *mirror) private(dir string) error {
	if dir == "." {
		return nil
	}
	if err := m.private(path.Dir(dir)); err != nil {
		return err
	}
	if err := m.files.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fsys.Explain(err, "make %s", dir)
	}
	return nil
}

// free returns an unused path for the page of a transcript.
func (m *mirror) free(name, source string) string {
	stem := strings.TrimSuffix(name, ".md")
	for n := 2; ; n++ {
		if of, ok := m.taken[name]; !ok || of == source {
			m.taken[name] = source
			return name
		}
		name = fmt.Sprintf("%s-%d.md", stem, n)
	}
}

// lines reads the complete lines after the offset, and returns the resulting
// additions to the page.
func (m *mirror) lines(ctx context.Context, f file, s *source, whole bool) (_ []byte, err error) {
	if f.id != "" {
		return m.rows(ctx, f, s)
	}
	in, err := fsys.OpenRegular(f.path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	r := transcript.NewReader(s.Session)
	if whole {
		text, err := io.ReadAll(io.LimitReader(in, maxWhole+1))
		if err != nil {
			return nil, err
		}
		if len(text) > maxWhole {
			text = []byte("too long")
		}
		s.Offset = f.size
		r.Line(text)
		return r.Take(), nil
	}
	if _, err := in.Seek(s.Offset, io.SeekStart); err != nil {
		return nil, err
	}
	lines := bufio.NewReaderSize(in, 256<<10)
	asked := false // whether the policy was checked
	var page, long []byte
	skipped := int64(0) // bytes of an overlong line
	for {
		part, err := lines.ReadSlice('\n')
		switch {
		case err == nil && skipped > 0:
			s.Offset += skipped + int64(len(part))
			r.Line([]byte("too long"))
			skipped = 0
		case err == nil && len(long) > 0:
			long = append(long, part...)
			s.Offset += int64(len(long))
			r.Line(long)
			long = long[:0]
		case err == nil:
			s.Offset += int64(len(part))
			r.Line(part)
		case errors.Is(err, bufio.ErrBufferFull):
			if skipped > 0 || len(long)+len(part) > maxLine {
				skipped += int64(len(long) + len(part))
				long = nil
			} else {
				long = append(long, part...)
			}
			continue
		case errors.Is(err, io.EOF): // an incomplete line is read next time
			if rest := append(long, part...); skipped == 0 && json.Valid(rest) {
				s.Offset += int64(len(rest))
				r.Line(rest)
			}
			s.Before, err = hashBefore(in, s.Offset)
			return append(page, r.Take()...), err
		default:
			return nil, err
		}
		page = append(page, r.Take()...)
		if asked || s.Session.Project == "" {
			continue
		}
		if asked = true; !m.rules.Reads(s.Session.Project, m.sess.Place.Home) {
			return nil, nil
		}
	}
}

// rows reads a session from a database.
func (m *mirror) rows(ctx context.Context, f file, s *source) ([]byte, error) {
	r := transcript.NewReader(s.Session)
	db := m.databases[strings.TrimSuffix(f.path, "#"+f.id)]
	if db == nil { // it failed to open: the session is unchanged
		return nil, kb.Errorf(kb.Conflict, "the database of the session %s is not open", f.id)
	}
	err := db.Lines(ctx, f.id, func(line []byte) bool {
		r.Line(line)
		return m.rules.Reads(s.Session.Project, m.sess.Place.Home)
	})
	return r.Take(), err
}

// projectBy returns the directory of a session for clients that encode it in the
// path of the transcript, "" if unknown.
func projectBy(f file) string {
	switch f.client {
	case transcript.Gemini:
		root := filepath.Join(filepath.Dir(filepath.Dir(f.path)), ".project_root")
		text, err := fsys.ReadRegular(root, 1<<12)
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(text))
	case transcript.Cursor:
		dir, _, ok := strings.Cut(filepath.ToSlash(f.path), "/agent-transcripts/")
		if !ok {
			return ""
		}
		if all := directoriesBy(path.Base(dir), string(filepath.Separator)); len(all) == 1 {
			return all[0]
		}
	}
	return ""
}

// directoriesBy returns the directories below root with a name encoded by Cursor.
// Cursor joins path elements with "-", and replaces other characters by "-" as
// well, so that several directories may match.
func directoriesBy(name, root string) (out []string) {
	if drive, rest, ok := strings.Cut(name, "-"); runtime.GOOS == "windows" && root == `\` && ok && len(drive) == 1 {
		name, root = rest, drive+`:\`
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		rest, ok := strings.CutPrefix(name, dashed(e.Name()))
		if !ok || dashed(e.Name()) == "" {
			continue
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		if rest == "" {
			out = append(out, dir)
		} else if rest, ok := strings.CutPrefix(rest, "-"); ok {
			out = append(out, directoriesBy(rest, dir)...)
		}
	}
	return out
}

// dashed encodes a name as Cursor does in the names of projects.
func dashed(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}), "-")
}

// idBy returns the session id in the name of a transcript.
func idBy(name string) string {
	id := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(name), ".json"), ".jsonl")
	if id == "events" {
		return filepath.Base(filepath.Dir(name))
	}
	return id
}

// withoutHead returns the text after the frontmatter that Head wrote.
func withoutHead(page []byte) ([]byte, bool) {
	const end = "\n---\n\n"
	i := bytes.Index(page, []byte(end))
	if i < 0 {
		return nil, false
	}
	return page[i+len(end):], true
}

// clone returns a deep copy of a session.
func clone(s *transcript.Session) (*transcript.Session, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	out := &transcript.Session{}
	return out, json.Unmarshal(text, out)
}

// hidden masks the credentials in a text. Marks that allow a credential are
// ignored: they may be quoted.
func hidden(text []byte) []byte {
	found := secrets.Scan(text, secrets.Options{IgnoreMarks: true})
	if len(found) == 0 {
		return text
	}
	return secrets.Mask(text, found)
}

// masked masks the credentials in the fields of a session.
func masked(s *transcript.Session) {
	for _, text := range []*string{&s.Title, &s.Asked} {
		*text = string(hidden([]byte(*text)))
	}
	for _, texts := range [][]string{s.Open, s.Commits} {
		for i, text := range texts {
			texts[i] = string(hidden([]byte(text)))
		}
	}
}

// prune removes the texts of old versions of the pages.
func (m *mirror) prune(ctx context.Context) error {
	return m.sess.DB.Update(ctx, func(tx store.Tx) error {
		all, _, err := tx.History().Versions(ctx, store.VersionFilter{Spaces: []int64{m.space.Row}}, 1<<30, 0)
		if err != nil {
			return err
		}
		newest := map[kb.ID]bool{}
		var old []int64
		for _, v := range all { // newest first
			if newest[v.Page] && !v.Pruned && v.Change != kb.Deleted {
				old = append(old, v.Seq)
			}
			newest[v.Page] = true
		}
		_, err = tx.History().Prune(ctx, old)
		return err
	})
}

// read returns the state of a space.
func read(ctx context.Context, sess *memory.Session, s kb.Space, files fsys.FS) (*state, error) {
	all := memory.Keep[mirrors](sess)
	all.mu.Lock()
	defer all.mu.Unlock()
	info, err := files.Lstat(stateFile)
	if have, ok := all.all[s.ID]; ok && err == nil && os.SameFile(have.file, info) && have.file.Size() == info.Size() && have.file.ModTime().Equal(info.ModTime()) {
		return have.state, nil
	}
	out := &state{}
	text, _, err := fsys.ReadFile(ctx, files, stateFile, maxState)
	if err == nil {
		err = json.Unmarshal(text, out)
	}
	var pathError *fs.PathError
	if errors.As(err, &pathError) && !errors.Is(err, fs.ErrNotExist) {
		return nil, fsys.Explain(err, "read %s", path.Join(s.Root, stateFile))
	}
	if err != nil || out.Sources == nil { // new, or from another version: read everything again
		out = &state{Sources: map[string]*source{}}
	}
	for name, x := range out.Sources {
		if x == nil || x.Session == nil {
			delete(out.Sources, name)
		}
	}
	return out, nil
}

// save writes the state.
func (m *mirror) save(ctx context.Context) error {
	text, err := json.Marshal(m.state)
	if err == nil {
		err = m.private(path.Dir(stateFile))
	}
	if err == nil {
		err = fsys.WriteAtomic(ctx, m.files, stateFile, text, fsys.Any(), fsys.WriteOptions{Perm: 0o600, DirLater: true, FlushLater: true})
	}
	if err != nil {
		return fsys.Explain(err, "write %s", path.Join(m.space.Root, stateFile))
	}
	info, err := m.files.Lstat(stateFile)
	if err != nil {
		return err
	}
	all := memory.Keep[mirrors](m.sess)
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.all == nil {
		all.all = map[kb.ID]kept{}
	}
	all.all[m.space.ID] = kept{m.state, info}
	return nil
}
