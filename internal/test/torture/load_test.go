package torture

import (
	"context"
	"errors"
	"fmt"
	"github.com/cairn-kb/cairn/internal/memory"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// worker does one job over and over, and says what it does.
type worker struct {
	hand  // what it does it with
	say   func(event) error
	who   string
	home  string
	limit int // how often it does it; 0: until it is stopped
	over  chan struct{}
	rng   *rand.Rand
	db    store.Engine // for jobs that look at the memory themselves; else nil

	refused error // the conflict that was met last
}

// jobs are what workers do. Of the editor, the group and the hub there must be
// one at a time.
var jobs = map[string]func(*worker, context.Context) error{
	"own1": (*worker).own, "own2": (*worker).own, "shared": (*worker).shared, "edited": (*worker).edited,
	"editor": (*worker).editor, "group": (*worker).group, "hub": (*worker).hub, "sync": (*worker).sync,
}

// keepBusy is a process that keeps a memory busy. Its argument is the home directory, the name of
// the process, unique in the memory's life, the seed, how often each worker
// does what it does (0: until the process is killed), and the jobs. With a
// limit, its syncs end with its standard input.
func keepBusy(arg string) error {
	var (
		home, name, list string
		seed             uint64
		limit            int
	)
	if _, err := fmt.Sscan(arg, &home, &name, &seed, &limit, &list); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	a, err := memory.Open(ctx, options(home, name), false)
	if err != nil {
		return err
	}
	db, err := database(ctx, home)
	if err != nil {
		return err
	}
	say, over := aloud(), make(chan struct{})
	if limit > 0 {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // its end is all that it says
			close(over)
		}()
	}
	g, ctx := errgroup.WithContext(ctx)
	for i, job := range strings.Split(list, ",") {
		w := &worker{
			hand: library{a}, say: say, who: name + "." + job, home: home, limit: limit, over: over, db: db,
			rng: rand.New(rand.NewPCG(seed, uint64(i))),
		}
		g.Go(func() error {
			if err := jobs[job](w, ctx); err != nil {
				return fmt.Errorf("%s: %w (hint: %s)", w.who, err, kb.AsError(err).Hint)
			}
			return nil
		})
	}
	return errors.Join(g.Wait(), db.Close(), a.Close())
}

// more reports whether the worker does what it does once more.
func (w *worker) more(n int) bool { return w.limit == 0 || n < w.limit }

// do says what is tried, tries it, and says the answer. A conflict is an
// answer, too: others write the same page.
func (w *worker) do(e event, op func() (api.Written, error)) (conflict bool, err error) {
	e.Who, e.Kind = w.who, "try"
	if err := w.say(e); err != nil {
		return false, err
	}
	res, err := op()
	switch code := kb.CodeOf(err); {
	case err != nil && (code == kb.Conflict || code == kb.NotFound):
		if kb.AsError(err).Details["busy"] != nil {
			return false, err // a lock-out
		}
		e.Kind, w.refused = "no", err
		return true, w.say(e)
	case err != nil:
		return false, err
	case len(res.Pages) == 0:
		return false, fmt.Errorf("%s of %s answered no page", e.Op, e.Path)
	}
	page := res.Pages[0]
	for _, p := range res.Pages {
		if string(p.ID) == e.ID {
			page = p
		}
	}
	e.Kind, e.Version = "ack", page.Version
	if page.ID != "" { // tools do not say it
		e.ID = string(page.ID)
	}
	return false, w.say(e)
}

// own makes, changes, moves and deletes pages that nobody else writes. No
// conflict is to be expected.
func (w *worker) own(ctx context.Context) error {
	type page struct {
		id, space, path, text string
		version               int
		exists                bool
	}
	pages := make([]*page, 4)
	for i := range pages {
		space := []string{"notes", "mem"}[i%2]
		sum := hashOf(w.who + strconv.Itoa(i))
		id, _ := kb.ParseID(sum[:8] + "-" + sum[8:12] + "-4" + sum[13:16] + "-8" + sum[17:20] + "-" + sum[20:32])
		pages[i] = &page{id: string(id), space: space, path: fmt.Sprintf("own/%s/%d.md", w.who, i)}
	}
	noteLine := regexp.MustCompile(`note: n\d+`)
	for n := 0; w.more(n); n++ {
		p := pages[w.rng.IntN(len(pages))]
		next := *p
		name := fmt.Sprintf("%s/%d", w.who, n)
		expected := p.version
		opts := api.WriteOptions{Expected: &expected}
		var (
			e  event
			op func() (api.Written, error)
		)
		switch k := w.rng.IntN(8); {
		case !p.exists:
			expected = 0
			next.exists, next.text = true, withID(p.id, name)
			e.Op, op = "put", func() (api.Written, error) {
				return w.Put(ctx, change.PutRequest{WriteOptions: opts, Ref: p.space + ":" + p.path, Text: []byte(next.text)})
			}
		case k == 0:
			next.exists, next.text = false, ""
			e.Op, op = "delete", func() (api.Written, error) {
				return w.Delete(ctx, change.DeleteRequest{WriteOptions: opts, Ref: p.space + ":" + p.path})
			}
		case k <= 2:
			next.path = fmt.Sprintf("own/%s/%d/moved-%d.md", w.who, w.rng.IntN(3), n)
			e.Op, op = "move", func() (api.Written, error) {
				return w.Move(ctx, change.MoveRequest{WriteOptions: opts, Ref: p.space + ":" + p.path, To: next.path})
			}
		case k <= 4:
			note := fmt.Sprintf("n%d", n)
			next.text = noteLine.ReplaceAllLiteralString(p.text, "note: "+note)
			e.Op, op = "edit", func() (api.Written, error) {
				return w.Edit(ctx, change.EditRequest{WriteOptions: opts, Ref: p.space + ":" + p.path, Edits: []doc.Edit{
					doc.SetProperty{Key: "note", Value: note},
				}})
			}
		default:
			next.text = withID(p.id, name)
			e.Op, op = "put", func() (api.Written, error) {
				return w.Put(ctx, change.PutRequest{WriteOptions: opts, Ref: p.space + ":" + p.path, Text: []byte(next.text)})
			}
		}
		e.Space, e.ID, e.Path = p.space, p.id, next.path
		if next.exists {
			e.Hash = hashOf(next.text)
		}
		conflict, err := w.do(e, op)
		if err != nil || conflict {
			return errors.Join(err, fmt.Errorf("%s of a page that nobody else writes: %s in %s", e.Op, p.path, p.space))
		}
		next.version = p.version + 1
		*p = next
	}
	return nil
}

// shared adds lines to pages that every process adds to, each time on the
// version that it has read.
func (w *worker) shared(ctx context.Context) error {
	for n := 0; w.more(n); n++ {
		space := []string{"notes", "mem"}[w.rng.IntN(2)]
		ref := space + ":shared/log.md"
		now, err := w.Get(ctx, read.GetRequest{Ref: ref})
		if err != nil {
			return err
		}
		token := fmt.Sprintf("%s.%d", w.who, n)
		_, err = w.do(event{Op: "token", Space: space, Path: "shared/log.md", Token: token}, func() (api.Written, error) {
			return w.EditText(ctx, change.EditTextRequest{
				WriteOptions: api.WriteOptions{Expected: &now.Version}, Ref: ref, Text: append(now.Bytes, tokenLine(token)...),
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// edited changes pages that the editor replaces, too.
func (w *worker) edited(ctx context.Context) error {
	for n := 0; w.more(n); n++ {
		p := fmt.Sprintf("ed/%d.md", w.rng.IntN(3))
		ref := "notes:" + p
		name := fmt.Sprintf("%s.%d", w.who, n)
		e := event{Space: "notes", Path: p}
		var op func() (api.Written, error)
		switch k := w.rng.IntN(10); {
		case k == 0:
			e.Op, op = "delete", func() (api.Written, error) { return w.Delete(ctx, change.DeleteRequest{Ref: ref}) }
		case k <= 3:
			e.Op, e.Hash, op = "put", hashOf(generation(name)), func() (api.Written, error) {
				return w.Put(ctx, change.PutRequest{Ref: ref, Text: []byte(generation(name)), Overwrite: true})
			}
		default:
			e.Op, e.Token, op = "token", name, func() (api.Written, error) {
				return w.Edit(ctx, change.EditRequest{Ref: ref, Edits: []doc.Edit{doc.Append{Text: tokenLine(name)}}})
			}
		}
		if _, err := w.do(e, op); err != nil {
			return err
		}
	}
	return nil
}

// editor replaces files as editors do, by renaming another over them. It
// knows nothing of cairn, but replaces what it wrote itself only when that is
// in the history: what it loses itself, nobody else has to keep.
func (w *worker) editor(ctx context.Context) error {
	last := map[string]string{}
	for n := 0; w.more(n); n++ {
		p := fmt.Sprintf("ed/%d.md", w.rng.IntN(3))
		if err := w.awaitHistory(ctx, last[p]); err != nil {
			return err
		}
		text := generation(fmt.Sprintf("%s.%d", w.who, n))
		last[p] = text
		e := event{Kind: "try", Who: w.who, Op: "editor", Space: "notes", Path: p, Hash: hashOf(text)}
		if err := w.say(e); err != nil {
			return err
		}
		file := filepath.Join(root(w.home), filepath.FromSlash(p))
		temp := filepath.Join(filepath.Dir(file), ".editor-"+filepath.Base(file))
		if err := os.WriteFile(temp, []byte(text), 0o644); err != nil {
			return err
		}
		if err := os.Rename(temp, file); err != nil {
			return err
		}
		e.Kind = "ack"
		if err := w.say(e); err != nil {
			return err
		}
	}
	return nil
}

// awaitHistory returns when these bytes are in the history.
func (w *worker) awaitHistory(ctx context.Context, text string) error {
	for text != "" {
		err := w.db.View(ctx, func(tx store.Tx) error {
			_, err := tx.History().Bytes(ctx, kbHash(text))
			return err
		})
		if kb.CodeOf(err) != kb.NotFound {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

// sync brings the directory into the index again and again.
func (w *worker) sync(ctx context.Context) error {
	for {
		select {
		case <-w.over:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		default:
		}
		if _, err := w.Sync(ctx, gitsync.SyncRequest{Space: "notes", Yes: true, Full: w.rng.IntN(4) == 0}); err != nil {
			return err
		}
	}
}

// hub moves a page that others link to, which rewrites their links, and now
// and then takes that back: each is one change of many pages.
func (w *worker) hub(ctx context.Context) error {
	var (
		was, at string
		done    api.Written
	)
	for n := 0; w.more(n); n++ {
		to := fmt.Sprintf("hub/%s-%d.md", w.who, n)
		op := func() (api.Written, error) { return w.Move(ctx, change.MoveRequest{Ref: hubID, To: to}) }
		if was != "" && w.rng.IntN(2) == 0 {
			to = was
			op = func() (api.Written, error) { return w.Undo(ctx, history.UndoRequest{Write: done.Write}) }
		}
		conflict, err := w.do(event{Op: "hub", Space: "notes", ID: hubID, Path: to}, func() (_ api.Written, err error) {
			done, err = op()
			return done, err
		})
		if err != nil || conflict {
			return errors.Join(err, fmt.Errorf("moving a page that nobody else moves, to %s: %w", to, w.refused))
		}
		was, at = at, to
	}
	return nil
}
