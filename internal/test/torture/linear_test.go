package torture

import (
	"context"
	"fmt"
	"github.com/cairn-kb/cairn/internal/memory"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// counted is a memory that counts the rows which settling links looks at.
type counted struct {
	store.Memory
	rows *int
}

func (m counted) Update(ctx context.Context, f func(store.Tx) error) error {
	return m.Memory.Update(ctx, func(tx store.Tx) error { return f(countedTx{tx, m.rows}) })
}

type countedTx struct {
	store.Tx
	rows *int
}

func (tx countedTx) Links() store.Links { return countedLinks{tx.Tx.Links(), tx.rows} }

type countedLinks struct {
	store.Links
	rows *int
}

func (l countedLinks) ByKeys(ctx context.Context, space int64, keys []string) ([]store.Candidate, error) {
	out, err := l.Links.ByKeys(ctx, space, keys)
	*l.rows += len(keys) + len(out)
	return out, err
}

func (l countedLinks) TargetsByKeys(ctx context.Context, space int64, keys []string) ([]store.Target, error) {
	out, err := l.Links.TargetsByKeys(ctx, space, keys)
	*l.rows += len(keys) + len(out)
	return out, err
}

func (l countedLinks) Put(ctx context.Context, docs []*store.Document) error {
	for _, d := range docs {
		for i := range d.Pages {
			*l.rows += len(d.Pages[i].Links)
		}
	}
	return l.Links.Put(ctx, docs)
}

func (l countedLinks) Resolve(ctx context.Context, res []store.Resolution) error {
	*l.rows += len(res)
	return l.Links.Resolve(ctx, res)
}

// linkRows counts what settling links looks at while n notes are indexed, and
// while one more is written after them.
func linkRows(t *testing.T, n int) (first, one int) {
	t.Helper()
	home := newHome(t, nil)
	linkedNotes(t, root(home), n)
	db := apptest.OK(database(t.Context(), home))(t)
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	w, spaces, err := newWriter(t.Context(), home, db)
	if err != nil {
		t.Fatal(err)
	}
	w.Memory = counted{db, &first}
	s := &reconcile.Syncer{Writer: w, Workers: 2, Rules: vault.Rules{Extensions: memory.Codecs()[0].Extensions(), MaxBytes: write.MaxDocument}}
	if r := apptest.OK(s.Sync(t.Context(), spaces["notes"], reconcile.Options{}))(t); r.Indexed != n {
		t.Fatalf("%d notes were indexed", r.Indexed)
	}
	w.Memory = counted{db, &one}
	apptest.OK(w.Apply(t.Context(), write.Request{Actor: kb.Actor{Kind: kb.Human}, Operation: "put", Changes: []write.Change{{
		Space: spaces["notes"], Path: "new.md",
		Action: write.Put{Bytes: fmt.Appendf(nil, "# New\n\n[[note %d]]\n", n/2)},
	}}}))(

		t)

	return first, one
}

func TestMistakeEveryNewNoteLooksAtAllLinks(t *testing.T) {
	t.Parallel()
	const n = 450
	first, one := linkRows(t, n)
	firstOf4, oneOf4 := linkRows(t, 4*n)
	if first == 0 || one == 0 {
		t.Fatal("nothing was counted")
	}
	// Four times the notes are four times the work, and a half for batches.
	if firstOf4 > 6*first {
		t.Errorf("%d notes looked at %d rows, %d at %d", n, first, 4*n, firstOf4)
	}
	if oneOf4 > 2*one {
		t.Errorf("one note looked at %d rows among %d, at %d among %d", one, n, oneOf4, 4*n)
	}
}
