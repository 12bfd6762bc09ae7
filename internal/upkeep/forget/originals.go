package forget

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/transfer/importer"
)

// originals lists the files and databases from which selected texts were imported,
// since these still contain them. A batch names its source; an import without
// stored bytes names it in its message.
func originals(ctx context.Context, sess *memory.Session, p *plan) (out []api.Beyond, err error) {
	type place struct {
		row  int64
		page kb.ID
	}
	pages, items := map[place]bool{}, map[kb.Hash]bool{}
	for _, d := range p.Documents {
		pages[place{d.Space, d.ID}] = true
	}
	for _, hash := range p.Items {
		items[hash] = true
	}
	named := map[string]bool{}
	add := func(source string, at time.Time, commands ...string) {
		if !named[source] {
			named[source] = true
			at = at.UTC().Truncate(time.Second)
			out = append(out, api.Beyond{What: "the original " + source + ", imported", At: &at, Commands: commands})
		}
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		batches, _, err := tx.Batches().List(ctx, nil, 1<<30, 0)
		if err != nil {
			return err
		}
		sources := map[string]bool{}
		for _, b := range batches {
			err := tx.Batches().Items(ctx, b.Row, func(it store.BatchItem) error {
				if !pages[place{b.Space, it.Page}] && !items[it.Hash] {
					return nil
				}
				sources[importer.From(b.Source)] = true
				if file := filepath.Join(b.Source, filepath.FromSlash(it.Path)); b.Kind == importer.ImportKind && fsys.Exists(file) {
					add(file, b.Created, "rm "+safetext.Word(file))
				} else {
					add(b.Source, b.Created)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		for _, id := range slices.Compact(slices.Sorted(slices.Values(p.writes))) {
			w, err := tx.History().Write(ctx, id)
			switch {
			case kb.CodeOf(err) == kb.NotFound: // of a removed space
			case err != nil:
				return err
			case w.Operation != importer.ImportKind || sources[w.Message]:
			case w.Message != "":
				add(fmt.Sprintf("of an import (%s)", w.Message), w.Time)
			case len(sources) == 0: // an earlier removal deleted the message
				add("of an import (its file is not recorded any more)", w.Time)
			}
		}
		return nil
	})
	return out, err
}
