package torture

import (
	"context"
	"errors"
	"fmt"
	"github.com/cairn-kb/cairn/internal/memory"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/presets"
)

// The group is a set of documents in both spaces that only ever change
// together. Of generation g all of them say so.
const (
	groupMovedID = "99999999-1111-4111-8111-000000000001"
	groupPut     = 3 // documents of each space that are replaced
)

func groupText(g, i int) string { return generation(fmt.Sprintf("group.%d.%d", g, i)) }

// group is what the documents of generation g are, by space and path.
func groupOf(g int) map[string]string {
	out := map[string]string{}
	for i := range groupPut {
		out[fmt.Sprintf("notes:group/%d.md", i)] = groupText(g, i)
		out[fmt.Sprintf("mem:group/%d.md", i)] = groupText(g, 10+i)
	}
	out[fmt.Sprintf("notes:group/moved-%d.md", g)] = withID(groupMovedID, fmt.Sprintf("group/moved/%d", g))
	// One that comes and goes in each space.
	out[fmt.Sprintf("%s:group/guest.md", []string{"notes", "mem"}[g%2])] = groupText(g, 20)
	return out
}

// groupChanges lead from generation g-1, or from nothing, to g.
func groupChanges(g int, spaces map[string]*write.Space) []write.Change {
	var out []write.Change
	put := func(space, path, text string) {
		out = append(out, write.Change{Space: spaces[space], Path: path, Action: write.Put{Bytes: []byte(text), Overwrite: true}})
	}
	for i := range groupPut {
		put("notes", fmt.Sprintf("group/%d.md", i), groupText(g, i))
		put("mem", fmt.Sprintf("group/%d.md", i), groupText(g, 10+i))
	}
	host, other := spaces["notes"], spaces["mem"]
	if g%2 == 1 {
		host, other = other, host
	}
	put(host.Name, "group/guest.md", groupText(g, 20))
	moved := fmt.Sprintf("group/moved-%d.md", g)
	if g > 0 {
		out = append(out,
			write.Change{Space: other, Path: "group/guest.md", Action: write.Delete{}},
			write.Change{Space: spaces["notes"], Path: fmt.Sprintf("group/moved-%d.md", g-1), Action: write.Move{To: moved, KeepLinks: true}})
	}
	put("notes", moved, withID(groupMovedID, fmt.Sprintf("group/moved/%d", g)))
	return out
}

// writer is the write path as app sets it up, for change sets that no use
// case makes.
func newWriter(ctx context.Context, home string, db store.Engine) (*write.Writer, map[string]*write.Space, error) {
	w := &write.Writer{
		Memory: db, Index: index.New(), Codecs: memory.Codecs(), Now: time.Now,
		Lock: func(ctx context.Context, s kb.Space) (func() error, error) {
			return db.Lock(ctx, string(s.ID), store.Exclusive, store.BusyTime)
		},
	}
	spaces := map[string]*write.Space{}
	err := db.View(ctx, func(tx store.Tx) error {
		all, err := tx.Spaces().All(ctx)
		for _, s := range all {
			spaces[s.Name] = &write.Space{Space: s, CheckPath: vault.CheckPath}
		}
		return err
	})
	for name, preset := range map[string]string{"notes": "notes", "mem": "memory"} {
		text, _ := presets.Text(preset)
		pol, perr := policy.Parse(text)
		spaces[name].Policy = pol
		err = errors.Join(err, perr)
	}
	dir, derr := fsys.OpenDir(root(home))
	spaces["notes"].Files = dir
	return w, spaces, errors.Join(err, derr)
}

// group leads the group from generation to generation.
func (w *worker) group(ctx context.Context) error {
	writer, spaces, err := newWriter(ctx, w.home, w.db)
	if err != nil {
		return err
	}
	g, err := generationOf(root(w.home))
	if err != nil {
		return err
	}
	for n := 0; w.more(n); n++ {
		g++
		e := event{Kind: "try", Who: w.who, Op: "group", Version: g}
		if err := w.say(e); err != nil {
			return err
		}
		if _, err := writer.Apply(ctx, write.Request{
			Actor: kb.Actor{Kind: kb.Agent, Name: w.who}, Operation: "ingest", Changes: groupChanges(g, spaces),
		}); err != nil {
			return err
		}
		e.Kind = "ack"
		if err := w.say(e); err != nil {
			return err
		}
	}
	return nil
}

// generationOf reads the group's generation from one of its files.
func generationOf(root string) (g int, err error) {
	text, err := os.ReadFile(filepath.Join(root, "group", "0.md"))
	if err != nil {
		return 0, err
	}
	name, _, err := readGeneration(string(text))
	if err != nil {
		return 0, err
	}
	_, err = fmt.Sscanf(strings.ReplaceAll(name, ".", " "), "group %d", &g)
	return g, err
}
