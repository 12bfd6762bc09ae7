package reconcile

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// Syncer reconciles directory spaces. Its fields are set once, before use.
type Syncer struct {
	Writer  *write.Writer
	Rules   vault.Rules
	Workers int // goroutines that read and parse; at least 1
}

// Options of one sync.
type Options struct {
	DryRun bool // plan only
	Full   bool // read every file, regardless of size and time
	// Yes allows a sync that would remove more than half of the documents from the
	// index.
	Yes bool
	// ToRead is set by readers: they only occasionally record that nothing changed,
	// since recording it is a commit, which waits for the disk and for other
	// writers.
	ToRead   bool
	Progress func(Progress) // may be nil; called from one goroutine

	files fsys.FS // the files to list instead of Space.Files, nil for those
}

// Progress is the progress of a sync.
type Progress struct {
	Phase       string // "reading", "indexing"
	Done, Total int    // documents
}

// Report is the result of a sync, or the expected result in a dry run.
type Report struct {
	Plan     *Plan
	Listing  *vault.Listing   // the contents of the directory
	Notes    int              // number of files in the listing
	Failed   []store.Failure  // unreadable this time
	Indexed  int              // documents written to the index
	Warnings int              // documents with parts kept as opaque text
	Shared   []index.SharedID // ids that several documents have, except with Options.ToRead
	DryRun   bool
	Took     time.Duration
}

// notedEvery is how often a read-only sync records that nothing changed.
const notedEvery = 10 * time.Minute

// massDeletion is the number of documents from which a sync that removes more than
// half of them needs Options.Yes. A smaller number is cheap to write again.
const massDeletion = 8

// Sync syncs the index with the directory. It is safe to run concurrently with
// writers and other syncs of the same space. When it is interrupted, its commits
// are kept, and the next sync does the rest.
func (s *Syncer) Sync(ctx context.Context, space *write.Space, opts Options) (*Report, error) {
	start := s.Writer.Now()
	if err := write.Here(space.Space); err != nil {
		return nil, err
	}
	if space.Files == nil {
		return &Report{Plan: &Plan{}, Listing: &vault.Listing{}, DryRun: opts.DryRun}, nil
	}
	store.Part(ctx, s.Writer.Memory) // the present files are compared with the present index
	if !opts.DryRun {
		if err := s.Writer.RecoverSpace(ctx, space); err != nil {
			return nil, err
		}
	}
	files := space.Files
	if opts.files != nil {
		files = opts.files
	}
	listing, plan, failed, err := s.look(ctx, space, files, opts)
	if err != nil {
		return nil, err
	}
	if plan == nil {
		if plan, failed, err = s.plan(ctx, space, listing, opts); err != nil {
			return nil, err
		}
	}
	r := &Report{Plan: plan, Listing: listing, Notes: len(listing.Files), Failed: failed, DryRun: opts.DryRun}
	if len(plan.Deleted) > 0 && !opts.Yes {
		if err := space.Present(); err != nil {
			return r, err
		}
	}
	if opts.DryRun {
		r.Shared = plan.shared
		return r, nil
	}
	if n := len(plan.Deleted); !opts.Yes && n >= massDeletion && 2*n > plan.Documents {
		return r, kb.Errorf(kb.Refused, "%d of the %d documents of %s are gone from %s", n, plan.Documents, space.Name, space.Root).
			WithHint("Nothing was changed.").WithReason(kb.MassDeletion).
			With("deleted", n).With("documents", plan.Documents)
	}
	if plan.outdated {
		if err := s.Rederive(ctx, space.Space); err != nil {
			return r, err
		}
	}
	if err := s.apply(ctx, space, plan, opts, r); err != nil {
		return r, err
	}
	if err := s.tidy(ctx, space, listing.Temps); err != nil {
		return r, err
	}
	if !opts.ToRead {
		err := s.Writer.Memory.View(ctx, func(tx store.Tx) (err error) {
			r.Shared, err = index.SharedIDs(ctx, tx, space.Row)
			return err
		})
		if err != nil {
			return r, err
		}
	}
	now := s.Writer.Now()
	r.Took = now.Sub(start)
	if ago := now.Sub(plan.synced); opts.ToRead && plan.Changes() == 0 && ago >= 0 && ago < notedEvery {
		return r, nil // recorded recently
	}
	return r, s.synced(ctx, space, now)
}

// look lists the directory. If the checksums of the files match those of the index,
// nothing changed and the plan is empty; otherwise it is nil.
func (s *Syncer) look(ctx context.Context, space *write.Space, tree fsys.FS, opts Options) (*vault.Listing, *Plan, []store.Failure, error) {
	var known indexed
	asked := make(chan error, 1)
	go func() { // in parallel with the listing, which waits for the system
		asked <- s.Writer.Memory.View(ctx, func(tx store.Tx) (err error) {
			known, err = whatIsIndexed(ctx, tx, space, opts)
			return err
		})
	}()
	list := vault.Scan
	if opts.ToRead {
		list = vault.Survey
	}
	listing, err := list(ctx, tree, s.Rules)
	// If the index is read before a file is examined, the index cannot be newer
	// than the listing for this file.
	notAsked := <-asked
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil, write.Vanished(space.Space)
	case err != nil:
		return nil, nil, nil, fsys.Explain(err, "list the files of %s", space.Name)
	case notAsked != nil:
		return nil, nil, nil, notAsked
	}
	if opts.Full || len(known.failures) > 0 {
		return listing, nil, nil, nil
	}
	unproven := make(map[string]bool, len(known.without))
	for _, s := range known.without {
		unproven[s.Path] = true
	}
	var (
		sums  kb.FileSums
		again []vault.File
	)
	for _, f := range listing.Files {
		if len(unproven) > 0 && unproven[f.Path] {
			again = append(again, f)
			continue
		}
		sums.Add(f.Sum)
	}
	if sums != known.sums || len(again) < len(unproven) {
		return listing, nil, nil, nil
	}
	plan, failed, err := s.planOf(ctx, space, listing, again, known.without, known, opts)
	return listing, plan, failed, err
}

// indexed is the index state of a space as a whole.
type indexed struct {
	sums     kb.FileSums
	without  []store.FileState // documents that are not in sums
	failures []store.Failure
	synced   time.Time
	outdated bool
	shared   []index.SharedID // for a dry run
}

func whatIsIndexed(ctx context.Context, tx store.Tx, space *write.Space, opts Options) (known indexed, err error) {
	all, err := tx.Spaces().All(ctx)
	if err != nil {
		return known, err
	}
	if i := slices.IndexFunc(all, func(x kb.Space) bool { return x.Row == space.Row }); i >= 0 {
		known.synced, known.outdated = all[i].Synced, all[i].Derivation < index.Derivation || all[i].Syntax != space.Syntax || all[i].Filing != space.Filing
	}
	if known.failures, err = tx.Failures().All(ctx, space.Row); err != nil {
		return known, err
	}
	if opts.DryRun && !opts.ToRead {
		if known.shared, err = index.SharedIDs(ctx, tx, space.Row); err != nil {
			return known, err
		}
	}
	known.sums, known.without, err = tx.Documents().FileSums(ctx, space.Row)
	return known, err
}

// unlike returns the files that differ from the index, and the documents with files
// that differ.
func unlike(ctx context.Context, tx store.Tx, space int64, listing *vault.Listing) ([]vault.File, []store.FileState, error) {
	sums := make([]int64, len(listing.Files))
	for i, f := range listing.Files {
		sums[i] = f.Sum
	}
	slices.Sort(sums)
	states, unknown, err := tx.Documents().Unlike(ctx, space, sums)
	if err != nil {
		return nil, nil, err
	}
	files := make([]vault.File, 0, len(unknown))
	for _, f := range listing.Files {
		if _, is := slices.BinarySearch(unknown, f.Sum); is {
			files = append(files, f)
		}
	}
	vault.SortFiles(files)
	return files, states, nil
}

// plan compares the listing with the index, and only reads the necessary files:
// files that may have changed, and new ones that may be a missing document.
func (s *Syncer) plan(ctx context.Context, space *write.Space, listing *vault.Listing, opts Options) (*Plan, []store.Failure, error) {
	var (
		files  = listing.Files
		states []store.FileState
		known  indexed
	)
	err := s.Writer.Memory.View(ctx, func(tx store.Tx) (err error) {
		if known, err = whatIsIndexed(ctx, tx, space, opts); err != nil {
			return err
		}
		if opts.Full {
			vault.SortFiles(files)
			states, err = tx.Documents().States(ctx, space.Row)
			return err
		}
		files, states, err = unlike(ctx, tx, space.Row, listing)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return s.planOf(ctx, space, listing, files, states, known, opts)
}

// planOf is plan for files of a listing and states of documents that may differ.
// All others are known to match.
func (s *Syncer) planOf(ctx context.Context, space *write.Space, listing *vault.Listing, files []vault.File, states []store.FileState, known indexed, opts Options) (*Plan, []store.Failure, error) {
	c := compare(listing, files, states, known.failures, opts.Full)
	files = nil
	was := make(map[string]store.FileState, len(c.suspects))
	for _, x := range c.suspects {
		files = append(files, x.file)
		was[x.file.Path] = x.was
	}
	if len(c.missing) > 0 {
		files = append(files, c.added...)
	}
	looks, failed, err := s.lookAt(ctx, space, files, was, opts)
	if err != nil {
		return nil, nil, err
	}
	c.drop(failed)
	p := decide(c, known.sums.Files+len(known.without), looks)
	p.failed, p.synced, p.outdated, p.shared = len(known.failures) > 0, known.synced, known.outdated, known.shared
	return p, failed, nil
}

// summedFile is the size from which a file is first hashed without holding it: its
// bytes may be known, for example after our own writes.
const summedFile = 1 << 20

// lookAt reads files for their hash and id. A changed file with an unfinished merge
// counts as failed: its page is unchanged.
func (s *Syncer) lookAt(ctx context.Context, space *write.Space, files []vault.File, known map[string]store.FileState, opts Options) (map[string]look, []store.Failure, error) {
	type seen struct {
		look
		file vault.File
		err  error
	}
	looks := make(map[string]look, len(files))
	var failed []store.Failure
	read := func(f vault.File) seen {
		was, isKnown := known[f.Path]
		var (
			info fs.FileInfo
			hash kb.Hash
			size int64
			id   kb.ID
			err  error
		)
		if isKnown && f.Size >= summedFile {
			if hash, info, err = fsys.Sum(ctx, space.Files, f.Path, write.MaxDocument); err != nil {
				return seen{file: f, err: err}
			}
		}
		if info != nil && hash == was.Hash {
			if size = info.Size(); was.Declared {
				id = was.ID
			}
		} else {
			b, read, err := fsys.ReadFile(ctx, space.Files, f.Path, write.MaxDocument)
			if err != nil {
				return seen{file: f, err: err}
			}
			if info, hash, size = read, index.Hash(b), int64(len(b)); isKnown && was.Hash != hash {
				if line := doc.ConflictLine(b); line > 0 {
					return seen{file: f, err: kb.Errorf(kb.Conflict, "merge conflict markers from line %d on: the page stays as it was before", line)}
				}
			}
			d := doc.ForNote(s.Writer.Codecs, space.Syntax, f.Path).Parse(f.Path, b)
			id, _ = kb.ParseID(d.Nodes[0].ID)
		}
		side, err := write.Beside(ctx, space.Files, f.Path)
		if err != nil {
			return seen{file: f, err: err}
		}
		// A writer may have replaced the file after it was listed, and indexed its
		// text before the index was read: then the index has the present bytes, and
		// the listing has the old size and time.
		now := vault.File{Path: f.Path, Size: size, ModTime: info.ModTime().UnixNano()}
		if side.Bytes != nil {
			now.Side = vault.Side{Size: int64(len(side.Bytes)), ModTime: side.ModTime.UnixNano()}
		}
		return seen{look: look{hash: hash, side: side.Hash(), declared: id, file: now}, file: f}
	}
	done := 0
	err := inOrder(ctx, s.Workers, 4*s.Workers, files, read, func(x seen) error {
		done++
		opts.report("reading", done, len(files))
		if x.err != nil {
			return s.fail(ctx, space, x.file, x.err, &failed)
		}
		looks[x.file.Path] = x.look
		return nil
	})
	return looks, failed, err
}

// fail records a file that could not be read. A missing file is not a failure:
// the next sync sees that.
func (s *Syncer) fail(ctx context.Context, space *write.Space, f vault.File, cause error, failed *[]store.Failure) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(cause, fs.ErrNotExist) {
		return nil
	}
	x := store.Failure{
		Space: space.Row, Path: f.Path, Reason: kb.AsError(fsys.Explain(cause, "read %s", f.Path)).Message,
		Count: 1, Size: f.Size, ModTime: modTime(f), Last: s.Writer.Now(),
	}
	if errors.Is(cause, fs.ErrPermission) || kb.CodeOf(cause) == kb.Conflict {
		x.Count = 0 // a retry is cheap; permissions are not part of size and time
	}
	*failed = append(*failed, x)
	return nil
}

// tidy removes temporary files of crashed writes, unless a living writer holds the
// space's lock: then the files belong to it.
func (s *Syncer) tidy(ctx context.Context, space *write.Space, temps []string) (err error) {
	if len(temps) == 0 {
		return nil
	}
	unlock, err := s.Writer.Lock(ctx, space.Space)
	if errors.Is(err, store.ErrBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	_, err = fsys.RemoveTemps(ctx, space.Files, temps)
	return fsys.Explain(err, "remove the temporary files of an interrupted write")
}

// synced records that the space is up to date.
func (s *Syncer) synced(ctx context.Context, space *write.Space, now time.Time) error {
	return s.change(ctx, space.Row, func(sp *kb.Space) { sp.Synced = now })
}

// change changes the record of a space, if it exists.
func (s *Syncer) change(ctx context.Context, row int64, to func(*kb.Space)) error {
	return s.Writer.Memory.Update(ctx, func(tx store.Tx) error {
		// Read again: the space may have been renamed in the meantime, and the
		// given value is shared within this process.
		all, err := tx.Spaces().All(ctx)
		i := slices.IndexFunc(all, func(x kb.Space) bool { return x.Row == row })
		if err != nil || i < 0 {
			return err
		}
		to(&all[i])
		return tx.Spaces().Update(ctx, all[i])
	})
}

func (o Options) report(phase string, done, total int) {
	if o.Progress != nil {
		o.Progress(Progress{Phase: phase, Done: done, Total: total})
	}
}
