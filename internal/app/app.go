package app

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/calendar/retention"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/bases"
	"github.com/cairn-kb/cairn/internal/doc/canvas"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/org"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/knowledge/assertion"
	"github.com/cairn-kb/cairn/internal/knowledge/compact"
	"github.com/cairn-kb/cairn/internal/knowledge/conformity"
	"github.com/cairn-kb/cairn/internal/knowledge/curate"
	"github.com/cairn-kb/cairn/internal/knowledge/gap"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	config "github.com/cairn-kb/cairn/internal/memory/space"

	layout "github.com/cairn-kb/cairn/internal/calendar/presets"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/note"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/lintpages"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"

	"github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/calendar/generated"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"

	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/open"
	"github.com/cairn-kb/cairn/presets"
)

// Options say where an App works and for whom. Everything that it would take
// from the process comes in here.
type Options struct {
	config.Place
	Space   string // space asked for, "" to decide
	Actor   kb.Actor
	Now     func() time.Time
	Workers int // goroutines that read and parse; 0 is one per processor

	// Written is told of each write that changed pages, once it is done; nil
	// for nobody. It must not write, and not take long.
	Written func(Written)

	// ReadOnly says that questions leave nothing behind: none is noted as a gap.
	ReadOnly bool

	// Watch says that the process lives long: it watches the directories that it
	// is asked about, and looks through one again only where it must.
	Watch bool

	// Hint words what to do about an error of which an answer tells: a check's,
	// a job's, or why it went by words alone. Nil leaves what the error says.
	Hint kb.Hinter

	only string // the only space that the caller may use, "" for any

	// How to wait before a server is asked again, and a number from 0 up to 1
	// to vary that; nil for real time and chance.
	Wait   func(context.Context, time.Duration) error
	Chance func() float64

	// What tests put in the place of directories and of the memory, to let
	// them fail; nil for the real ones.
	wrapFiles    func(*fsys.Dir) fsys.FS
	wrapDatabase func(store.Engine) store.Engine

	// What tests take a disk for; nil for what it is.
	network func(path string) (string, error)
}

// App is an open memory with everything that can be done with it, as one
// caller sees it. It is safe for concurrent use.
type App struct {
	*memory
	opts      Options
	notices   *freshness.Notices
	spaces    *config.Registry
	refs      *ref.Resolver
	fresh     *freshness.Engine
	embedding *embedding.Engine
	retrieve  *retrieve.Engine
	gaps      *gap.Tracker
	check     *contradiction.Engine
	conform   *conformity.Engine
	curate    *curate.Engine
	inspect   *lintpages.Engine
	guard     *gitsync.Engine
	note      *note.Engine
	briefing  *brief.BriefingEngine
	health    *doctor.Checker
	jobs      *jobs.Runner
	prime     *brief.Engine
	history   *history.Engine
	change    *change.Engine
	capture   *ingest.CaptureEngine
	gist      *brief.GistEngine
	graph     *links.Engine
	ageing    *ageing.Engine
	assertion *assertion.Engine
	layout    *layout.Engine

	compaction *compact.Engine
	rotation   *day.Engine
	region     *generated.Engine
}

// as returns the memory as a caller sees it.
func (m *memory) as(opts Options, n *freshness.Notices) *App {
	r := &config.Registry{
		DB: m.db, Index: m.index, Handles: m.handles, Codecs: m.codecs, Now: opts.Now,
		Place: opts.Place, Asked: opts.Space, Pinned: opts.only, WrapFiles: opts.wrapFiles, Network: opts.network,
		Lock: m.writer.Lock, Tell: func(line string) { n.Add(line) },
	}
	refs := &ref.Resolver{DB: m.db, Spaces: r, Codecs: m.codecs}
	emb := &embedding.Engine{
		DB: m.db, Spaces: r, Refs: refs, Codecs: m.codecs, Place: opts.Place, Now: opts.Now,
		Workers: opts.Workers, Wait: opts.Wait, Chance: opts.Chance, State: m.embeddings,
	}
	a := &App{
		memory: m, opts: opts, notices: n, spaces: r, refs: refs, embedding: emb,
		fresh: &freshness.Engine{DB: m.db, Spaces: r, Refs: refs, Writer: m.writer, Syncer: m.syncer, Follower: m.follower, Notices: n, Log: m.log, Hint: opts.Hint},
		retrieve: &retrieve.Engine{
			DB: m.db, Index: m.index, Spaces: r, Embedding: emb, Codecs: m.codecs, Now: opts.Now,
			Workers: opts.Workers, Hint: opts.Hint, Tell: n.Add, Temporary: open.Temporary, Pasts: &m.pasts, Kept: &m.kept,
			Setting: opts.Setting,
		},
		graph:   &links.Engine{DB: m.db, Spaces: r, Refs: refs, Codecs: m.codecs, Now: opts.Now},
		check:   &contradiction.Engine{DB: m.db, Spaces: r, Codecs: m.codecs, Now: opts.Now, Actor: opts.Actor},
		gaps:    &gap.Tracker{DB: m.db, Spaces: r, Now: opts.Now, Actor: opts.Actor},
		history: &history.Engine{DB: m.db, Spaces: r, Refs: refs, Codecs: m.codecs, Now: opts.Now, Actor: opts.Actor},
		health: &doctor.Checker{
			DB: m.db, Index: m.index, Spaces: r, Embedding: emb, Syncer: m.syncer, Follower: m.follower, Codecs: m.codecs,
			Place: opts.Place, Workers: opts.Workers, Hint: opts.Hint, Lock: m.writer.Lock, Kept: &m.kept,
		},
		prime: &brief.Engine{DB: m.db, Spaces: r, Codecs: m.codecs, Place: opts.Place, Now: opts.Now, Actor: opts.Actor},
	}
	a.change = &change.Engine{
		DB: m.db, Spaces: r, Refs: refs, Codecs: m.codecs, Fresh: a.fresh, Writer: m.writer, Actor: opts.Actor, Told: opts.Written,
		Check: a.check,
	}
	a.ageing = &ageing.Engine{Change: a.change, Now: opts.Now}
	a.compaction = &compact.Engine{Change: a.change, Embedding: emb, Codecs: m.codecs, Place: opts.Place, Now: opts.Now}
	a.curate = &curate.Engine{Change: a.change, Embedding: emb, Now: opts.Now}
	a.conform = &conformity.Engine{DB: m.db, Spaces: r, Codecs: m.codecs, Change: a.change, Page: a.fresh.Page}
	a.inspect = &lintpages.Engine{DB: m.db, Spaces: r, Codecs: m.codecs, Writer: m.writer, Page: a.fresh.Page}
	a.note = &note.Engine{DB: m.db, Spaces: r, Refs: refs, Now: opts.Now, Codecs: m.codecs, Change: a.change, Page: a.fresh.Page}
	a.gist = &brief.GistEngine{DB: m.db, Spaces: r, Codecs: m.codecs, Retrieve: a.retrieve, Check: a.check, Graph: a.graph, Now: opts.Now}
	a.prime.Gist = a.gist
	a.capture = &ingest.CaptureEngine{DB: m.db, Spaces: r, Refs: refs, Codecs: m.codecs, Retrieve: a.retrieve, Change: a.change, Fresh: a.fresh, Now: opts.Now}
	a.guard = &gitsync.Engine{
		DB: m.db, Spaces: r, Writer: m.writer, Inspect: a.inspect, Now: opts.Now, Page: a.fresh.Page, Actor: opts.Actor, Codecs: m.codecs, Hint: opts.Hint,
		Sync: func(ctx context.Context, s kb.Space, dryRun bool) error {
			_, err := a.fresh.Sync(ctx, s, freshness.Request{DryRun: dryRun})
			return err
		},
	}
	a.prime.Repository, a.history.Commits = a.guard.StateOf, a.guard.Commits
	a.prime.Curation = a.curate.Due
	a.change.Ask, a.change.CatchUp = a.guard.Ask, a.guard.CatchUp
	scheduled := *a.change
	scheduled.Actor = kb.Actor{Kind: kb.Schedule}
	a.rotation = &day.Engine{Change: &scheduled, Now: opts.Now, State: &m.turned}
	a.region = &generated.Engine{Change: &scheduled}
	a.fresh.Follow, a.change.Follow = a.Days().follow, a.Days().follow
	a.fresh.Turn = a.Days().turn
	a.change.Turn = func(ctx context.Context, s kb.Space) { a.Days().turn(ctx, s) }
	a.jobs = &jobs.Runner{
		Guard: a.guard, Routine: a.Days().routine(), Place: opts.Place,
		DB: m.db, Index: m.index, Spaces: r, Embedding: emb, History: a.history, Health: a.health, Now: opts.Now, Hint: opts.Hint,
		Ageing:     &ageing.Engine{Change: &scheduled, Now: opts.Now},
		Rotation:   a.rotation,
		Region:     a.region,
		Expiry:     &retention.Engine{Change: &scheduled, Now: opts.Now},
		Compaction: &compact.Engine{Change: &scheduled, Embedding: emb, Codecs: m.codecs, Place: opts.Place, Now: opts.Now},
		Sync: func(ctx context.Context, s kb.Space, dryRun bool, progress func(space, phase string, done, total int)) (SyncReport, error) {
			return a.fresh.Sync(ctx, s, freshness.Request{DryRun: dryRun, Progress: progress})
		},
	}
	made := scheduled
	made.Follow = a.Days().follow
	a.layout = &layout.Engine{DB: m.db, Spaces: r, Change: &made, Now: opts.Now, Files: presets.Files, File: presets.File}
	a.assertion = &assertion.Engine{DB: m.db, Spaces: r, Refs: refs, Change: a.change, Now: opts.Now, Actor: opts.Actor, Page: a.fresh.Page, Past: a.retrieve.Past}
	a.briefing = &brief.BriefingEngine{DB: m.db, Spaces: r, Codecs: m.codecs, Check: a.check, Gaps: a.gaps, Now: opts.Now}
	a.health.Check, a.health.Inspect, a.health.Guard = a.check, a.inspect, a.guard.State
	a.check.Page, a.check.Edit, a.curate.Assertions = a.fresh.Page, a.change.EditPages, a.assertion
	a.retrieve.Mark, a.prime.Disputes, a.prime.Waiting = a.check.Mark, a.check.Count, a.Days().waiting
	a.health.Maintenance, a.health.Regions, a.health.Notes = a.jobs.Check, a.region.Problems, a.conform.Broken
	return a
}

// memory is what all callers share.
type memory struct {
	db         store.Engine
	index      *index.Index
	writer     *write.Writer
	syncer     *reconcile.Syncer
	follower   *reconcile.Follower // nil without Options.Watch
	codecs     []doc.Codec
	recovered  []write.Recovered
	unfinished error // why a write that a crashed process left could not be finished

	handles *config.Handles

	embeddings *embedding.State
	kept       store.Kept // counts and findings
	pasts      retrieve.Pasts
	turned     day.State
	log        *freshness.Log

	quiet    quiet
	later    later
	requests requests
}

// Codecs returns the formats that documents may have, the one for new pages
// first.
func Codecs() []doc.Codec {
	return []doc.Codec{markdown.Codec{}, org.Codec{}, canvas.Codec{}, bases.Codec{}}
}

// Open opens the memory and finishes what a crashed process left undone. With
// create it makes the memory when there is none; otherwise that is
// kb.Damaged.
func Open(ctx context.Context, opts Options, create bool) (_ *App, err error) {
	path, err := config.DatabasePath(opts.Place)
	if err != nil {
		return nil, err
	}
	db, err := open.Memory(ctx, path, store.Options{Clock: opts.Now, MustExist: !create})
	if err != nil {
		return nil, err
	}
	if opts.wrapDatabase != nil {
		db = opts.wrapDatabase(db)
	}
	if opts.Workers == 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	m := &memory{db: db, index: index.New(), codecs: Codecs(), handles: config.NewHandles(), embeddings: &embedding.State{}, log: &freshness.Log{Now: opts.Now}}
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
	a := m.as(opts, &freshness.Notices{})
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	if a.recovered, err = a.writer.Recover(ctx, a.spaces.Open); fsys.Unwritable(err) {
		a.unfinished, err = err, nil // whoever writes tries it again, and fails
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// Caller is one of several who use an open memory through one process.
type Caller struct {
	Dir   string // working directory, absolute; "" for none
	Space string // space asked for, "" to decide
	Only  bool   // no other space may be used
	Actor kb.Actor
}

// For returns the same memory as another caller sees it: their current space,
// their name in the history. It lives as long as a, and is not closed.
func (a *App) For(c Caller) *App {
	opts := a.opts
	opts.Dir, opts.Space, opts.Actor, opts.only = c.Dir, c.Space, c.Actor, ""
	if c.Only {
		opts.only = c.Space
	}
	return a.as(opts, &freshness.Notices{})
}

// In returns the same memory for the same caller with another space for the
// current one; with no name it is a itself.
func (a *App) In(space string) *App {
	if space == "" {
		return a
	}
	opts := a.opts
	opts.Space = space
	return a.as(opts, a.notices)
}

// Close lets go of the memory.
func (a *App) Close() error {
	a.later.close()
	var err error
	if a.follower != nil {
		err = a.follower.Close()
	}
	return errors.Join(err, a.pasts.Close(), a.db.Close(), a.handles.Close())
}

// Changed returns a number that differs after any process committed to the
// memory since it was last asked for; the first tells nothing.
func (a *App) Changed(ctx context.Context) (int64, error) { return a.db.Changed(ctx) }

// Recovered says, a line each, which unfinished writes Open finished, and whether
// nothing can be written.
func (a *App) Recovered() []string {
	var out []string
	if db, ok := a.db.(store.Readable); ok && db.Unwritable() != nil {
		out = append(out, "the memory can be read only: "+kb.AsError(db.Unwritable()).Message)
	}
	if a.unfinished != nil {
		out = append(out, "an interrupted write waits to be finished: "+kb.AsError(a.unfinished).Message)
	}
	for _, r := range a.recovered {
		verb := "dropped an interrupted %s of %s: nothing of it had happened"
		if r.Finished {
			verb = "finished an interrupted %s of %s"
		}
		out = append(out, fmt.Sprintf(verb, r.Operation, strings.Join(r.Paths, ", ")))
	}
	return out
}

// Rules say which files of a directory are documents.
func (a *App) Rules() vault.Rules { return rules(a.codecs) }

func rules(codecs []doc.Codec) vault.Rules {
	var ext []string
	for _, c := range codecs {
		ext = append(ext, c.Extensions()...)
	}
	return vault.Rules{Extensions: ext, MaxBytes: write.MaxDocument}
}
