package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/bases"
	"github.com/cairn-kb/cairn/internal/doc/canvas"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/org"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/open"
	"github.com/cairn-kb/cairn/presets"
)

// Options describe the process and the caller of a memory. They hold everything
// that would otherwise be read from the process.
type Options struct {
	space.Place
	Space   string // requested space, "" to decide
	Actor   kb.Actor
	Now     func() time.Time
	Workers int // goroutines that read and parse; 0 is one per processor

	// OnWritten is called after each write that changed pages. It must not write,
	// and must return quickly. It may be nil.
	OnWritten func(api.Written)

	// ReadOnly prevents questions from being recorded as gaps.
	ReadOnly bool

	// Temporary marks a memory that is removed when it is closed. Writes of pages
	// are refused, since they could not be undone.
	Temporary bool

	// Watch is set by long-lived processes: directories are watched, and only
	// rescanned after changes.
	Watch bool

	// Hint formulates the hint of an error within an answer: of a check, a job, or
	// a search that fell back to keywords. With nil the error's own hint is used.
	Hint kb.Hinter

	// Hooks run around reads and writes; see upkeep.Hooks.
	Hooks Hooks

	only string // the only space that the caller may use, "" for any

	// Wait waits before a server is contacted again, and Chance returns a random
	// number in [0, 1) for jitter; nil for real time and chance.
	Wait   func(context.Context, time.Duration) error
	Chance func() float64

	// WrapFiles and WrapDatabase replace directories and the database in tests of
	// failures; Network returns the kind of a network file system. All are nil
	// outside of tests.
	WrapFiles    func(*fsys.Dir) fsys.FS
	WrapDatabase func(store.Engine) store.Engine
	Network      func(path string) (string, error)

	// Presets replaces the pages of presets; nil for the embedded ones.
	Presets PresetFiles
}

// PresetFiles provides the pages of presets.
type PresetFiles interface {
	// Files returns the paths of the pages of a preset.
	Files(preset string) []string
	// File returns one of them.
	File(preset, path string) ([]byte, bool)
}

type embeddedPresets struct{}

func (embeddedPresets) Files(preset string) []string            { return presets.Files(preset) }
func (embeddedPresets) File(preset, path string) ([]byte, bool) { return presets.File(preset, path) }

// Memory is an open memory, shared by all of its sessions. It is safe for concurrent
// use.
type Memory struct {
	db       store.Engine
	index    *index.Index
	writer   *write.Writer
	syncer   *reconcile.Syncer
	follower *reconcile.Follower // nil without Options.Watch
	codecs   []doc.Codec
	handles  *space.Handles
	log      *Log

	recovered  []write.Recovered
	unfinished error // reason why a write left by a crashed process could not be completed

	counts   store.Kept // counts and findings
	idle     idle
	later    queue
	requests requests

	values Values
}

// Codecs returns the formats of documents, the one for new pages first.
func Codecs() []doc.Codec {
	return []doc.Codec{markdown.Codec{}, org.Codec{}, canvas.Codec{}, bases.Codec{}}
}

// Open opens the memory and completes writes left by a crashed process. With create
// it creates the memory if none exists; otherwise that is kb.Damaged. It returns
// the session of the caller in opts.
func Open(ctx context.Context, opts Options, create bool) (_ *Session, err error) {
	db, err := openDatabase(ctx, opts, create)
	if err != nil {
		return nil, err
	}
	if opts.WrapDatabase != nil {
		db = opts.WrapDatabase(db)
	}
	if opts.Workers == 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	if opts.Presets == nil {
		opts.Presets = embeddedPresets{}
	}
	m := &Memory{
		db: db, index: index.New(), codecs: Codecs(), handles: space.NewHandles(), log: &Log{Now: opts.Now},
	}
	m.writer = &write.Writer{
		Memory: db, Index: m.index, Codecs: m.codecs, Now: opts.Now, Mask: secrets.Hide,
		Lock: func(ctx context.Context, s kb.Space) (func() error, error) {
			return db.Lock(ctx, string(s.ID), store.Exclusive, store.BusyTime)
		},
	}
	m.syncer = &reconcile.Syncer{Writer: m.writer, Rules: rules(m.codecs), Workers: opts.Workers}
	if opts.Watch {
		m.follower = reconcile.NewFollower(m.syncer)
	}
	sess := m.session(opts, &Notices{})
	defer func() {
		if err != nil {
			err = errors.Join(err, sess.Close())
		}
	}()
	m.recovered, err = m.writer.Recover(ctx, sess.Spaces.Open)
	switch {
	case err != nil && kb.AsError(err).Reason == kb.DatabaseReadOnly:
		err = nil // its writer may be running, on the primary server
	case fsys.Unwritable(err):
		m.unfinished, err = err, nil // the next writer retries, and fails
	}
	if err != nil {
		return nil, err
	}
	if err := sess.Spaces.TakeUp(ctx); err != nil && kb.AsError(err).Reason != kb.DatabaseReadOnly && !fsys.Unwritable(err) {
		return nil, err
	}
	return sess, nil
}

// openDatabase opens the memory's database, or an in-memory one for a temporary
// memory.
func openDatabase(ctx context.Context, opts Options, create bool) (store.Engine, error) {
	if opts.Temporary {
		return open.Temporary(ctx, store.Options{Clock: opts.Now})
	}
	path, err := space.DatabasePath(opts.Place)
	if err != nil {
		return nil, err
	}
	if create && !store.IsURL(path) && fsys.Nothing(path) {
		if err := space.MayPut(ctx, opts.Actor, opts.Place, path, "init "+path); err != nil {
			return nil, err
		}
	}
	return open.Memory(ctx, path, store.Options{Clock: opts.Now, Host: opts.Place.ThisHost(), MustExist: !create})
}

// MayWrite does not allow an agent to write files inside or above the directory of
// a space, of this memory or of another; see space.MayFill. command is the command
// for a person.
func MayWrite(ctx context.Context, o Options, command string, paths ...string) (err error) {
	if o.Actor.Kind != kb.Agent {
		return nil
	}
	for _, path := range paths {
		if err := space.MayPut(ctx, o.Actor, o.Place, o.Place.Absolute(path), command); err != nil {
			return err
		}
	}
	o.ReadOnly = true
	a, err := Open(ctx, o, false)
	switch {
	case space.NothingYet(err):
		return nil // the memory has no space
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	for _, path := range paths {
		if err := a.Spaces.MayFill(ctx, o.Place.Absolute(path), command); err != nil {
			return err
		}
	}
	return nil
}

// session returns the memory in the view of one caller.
func (m *Memory) session(opts Options, n *Notices) *Session {
	spaces := &space.Registry{
		DB: m.db, Index: m.index, Handles: m.handles, Codecs: m.codecs, Now: opts.Now,
		Actor: opts.Actor, Place: opts.Place, Asked: opts.Space, Pinned: opts.only, WrapFiles: opts.WrapFiles, Network: opts.Network,
		Lock: m.writer.Lock, Tell: func(line string) { n.Add(line) },
	}
	return &Session{
		DB: m.db, Index: m.index, Writer: m.writer, Syncer: m.syncer, Follower: m.follower, Codecs: m.codecs,
		Spaces: spaces, Refs: &ref.Resolver{DB: m.db, Spaces: spaces, Codecs: m.codecs},
		Place: opts.Place, Now: opts.Now, Actor: opts.Actor, Hint: opts.Hint, Workers: opts.Workers, Wait: opts.Wait, Chance: opts.Chance,
		Notices: n, Log: m.log, Kept: &m.counts, ReadOnly: opts.ReadOnly, Temporary: opts.Temporary, OnWritten: opts.OnWritten, Hooks: opts.Hooks, Presets: opts.Presets, Values: &m.values,
		memory: m, opts: opts,
	}
}

// Values holds the values that packages store for all sessions of a memory, one of
// each type; see Keep.
type Values struct {
	mu  sync.Mutex
	all map[any]any
}

// Keep returns the value of type T shared by all sessions of the memory, initially
// the zero value. Values with a Close method are closed with the memory.
func Keep[T any](s *Session) *T {
	s.Values.mu.Lock()
	defer s.Values.mu.Unlock()
	var key any = (*T)(nil)
	v, ok := s.Values.all[key].(*T)
	if !ok {
		v = new(T)
		if s.Values.all == nil {
			s.Values.all = map[any]any{}
		}
		s.Values.all[key] = v
	}
	return v
}

// list returns the stored values.
func (v *Values) list() []any {
	v.mu.Lock()
	defer v.mu.Unlock()
	out := make([]any, 0, len(v.all))
	for _, x := range v.all {
		out = append(out, x)
	}
	return out
}

// Close closes the memory, and with it all of its sessions.
func (s *Session) Close() error {
	m := s.memory
	m.later.close()
	var errs []error
	if m.follower != nil {
		errs = append(errs, m.follower.Close())
	}
	for _, v := range m.values.list() {
		if c, ok := v.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(append(errs, m.db.Close(), m.handles.Close())...)
}

// Changed returns a number that differs when any process has committed to the
// memory since the last call. The first number has no meaning.
func (s *Session) Changed(ctx context.Context) (int64, error) { return s.DB.Changed(ctx) }

// Heard is Changed for polling: the number may be late by some seconds when another
// machine made the commit. Numbers of the two are not comparable.
func (s *Session) Heard(ctx context.Context) (int64, error) {
	if db, ok := s.DB.(store.Listener); ok {
		return db.Heard(ctx)
	}
	return s.DB.Changed(ctx)
}

// Writable reports whether the memory accepts writes of this session, including
// operational ones.
func (s *Session) Writable() bool {
	db, ok := s.DB.(store.Readable)
	return !s.ReadOnly && (!ok || db.Unwritable() == nil)
}

// ReadOnlyNote reports why nothing can be written to the memory, and how far a
// standby lags behind; "" for a writable memory.
func (s *Session) ReadOnlyNote() string {
	db, ok := s.DB.(store.Readable)
	if !ok {
		return ""
	}
	err := db.Unwritable()
	if err == nil {
		return ""
	}
	return "the memory can be read only: " + kb.AsError(err).Message
}

// Recovered lists the unfinished writes that Open completed, one per line, and
// reports a memory that cannot be written.
func (s *Session) Recovered() []string {
	var out []string
	if line := s.ReadOnlyNote(); line != "" {
		out = append(out, line)
	}
	if err := s.memory.unfinished; err != nil {
		out = append(out, "an interrupted write waits to be finished: "+kb.AsError(err).Message)
	}
	for _, r := range s.memory.recovered {
		verb := "dropped an interrupted %s of %s: nothing of it had happened"
		if r.Finished {
			verb = "finished an interrupted %s of %s"
		}
		out = append(out, fmt.Sprintf(verb, r.Operation, api.Names(r.Paths)))
	}
	return out
}

// Rules returns the rules that select the documents among the files of a directory.
func (s *Session) Rules() vault.Rules { return rules(s.Codecs) }

func rules(codecs []doc.Codec) vault.Rules {
	var ext []string
	for _, c := range codecs {
		ext = append(ext, c.Extensions()...)
	}
	return vault.Rules{Extensions: ext, MaxBytes: write.MaxDocument}
}
