package forget

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
)

// reached lists the records that a selection by text covers, by table.
var reached = map[string]string{"writes": "write message", "gaps": "question", "dismissals": "contradiction note", "blobs": "text"}

// maxPieces limits the alternatives of the expression in a suggested command.
const maxPieces = 8

// leave drops the marks of pieces that other records still contain, and lists these
// records: for example, the message of a write may quote the title of a removed
// page. The command that removes them contains the piece, so it is only in the
// answer; the receipt has no text.
func leave(ctx context.Context, sess *memory.Session, u *unfinished) error {
	m, texts, err := marksOf(*u.Receipt)
	if err != nil {
		return err
	}
	type records struct {
		n      int
		pieces map[string]bool
	}
	by, drops := map[string]*records{}, map[string]bool{}
	again := map[string]bool{}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		return tx.Traces().Values(ctx, func(table string, value []byte) error {
			sum := isText(m, texts, table, value)
			piece, found := "", sum != ""
			again[sum] = true
			m.find(value, func(_ int, p []byte) bool {
				if !found || piece == "" {
					found, piece = true, strings.ToValidUTF8(string(p), "")
				}
				drops[string(p)] = true
				return true
			})
			if !found {
				return nil
			}
			r := by[table]
			if r == nil {
				r = &records{pieces: map[string]bool{}}
				by[table] = r
			}
			r.n++
			if piece != "" && len(r.pieces) < maxPieces {
				r.pieces[regexp.QuoteMeta(piece)] = true
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	for d := range drops {
		m.drop([]byte(d))
	}
	u.Receipt.Marks = m.list()
	u.Receipt.Texts = slices.DeleteFunc(u.Receipt.Texts, func(t string) bool { return again[t] })
	u.Receipt.Left = nil
	for _, table := range slices.Sorted(maps.Keys(by)) {
		r := by[table]
		line := "the table " + table + " holds a part of it"
		if noun := reached[table]; noun != "" {
			line = api.Plural(r.n, noun) + " with a part of it"
		}
		u.Receipt.Left = append(u.Receipt.Left, line)
		if reached[table] != "" && len(r.pieces) > 0 {
			line += ": cairn forget --match " + safetext.Word(strings.Join(slices.Sorted(maps.Keys(r.pieces)), "|"))
		}
		u.Result.Left = append(u.Result.Left, line)
	}
	return nil
}
