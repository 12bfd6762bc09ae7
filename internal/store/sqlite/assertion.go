package sqlite

import (
	"context"
	"database/sql/driver"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Tx runs statements in a transaction.
type Tx interface {
	Query(ctx context.Context, sql string, args []any, f func([]driver.Value) error) error
}

// Assertions implements store.Assertions.
type Assertions struct{ Tx Tx }

var _ store.Assertions = Assertions{}

// Insert and Width are for the rows that Values makes.
const (
	Insert = `INSERT OR FAIL INTO assertions (row, subject, subject_key, predicate, object, object_key, valid_from, valid_until,
nth, supersedes, confidence, asserted_by, source, evidence, first_line, last_line, created, line)`
	Width = 18
)

// Values are the row of an assertion.
func Values(row int64, a kb.Assertion) []any {
	return []any{
		row, a.Subject, a.SubjectKey, a.Predicate, a.Object, a.ObjectKey, a.ValidFrom, a.ValidUntil,
		a.Nth, a.Supersedes, a.Confidence, a.AssertedBy, a.Source, a.Evidence, a.Lines[0], a.Lines[1], a.Created, a.Line,
	}
}

func text(v driver.Value) string { s, _ := v.(string); return s }
func num(v driver.Value) int     { n, _ := v.(int64); return int(n) }

// from joins facts x of a table with the pages p of a filter and their documents d: from
// the pages where these are known, else from the facts.
func from(table string, f store.AssertionFilter, args *[]any) string {
	join := table + " x CROSS JOIN pages p ON p.row = x.row >> 24"
	if len(f.Pages) > 0 {
		join = "pages p CROSS JOIN " + table + " x ON x.row BETWEEN p.row << 24 AND p.row << 24 | 16777215"
	}
	join = " FROM " + join + " JOIN documents d ON d.row = p.document WHERE TRUE"
	if len(f.Spaces) > 0 {
		join += " AND p.space IN (" + In(args, f.Spaces) + ")"
	}
	if len(f.Pages) > 0 {
		join += " AND p.row IN (" + In(args, f.Pages) + ")"
	}
	return join
}

const order = " ORDER BY p.space, d.path, x.row"

// List implements store.Assertions.
func (a Assertions) List(ctx context.Context, f store.AssertionFilter) (out []kb.Assertion, err error) {
	var args []any
	tail := from("assertions", f, &args)
	if len(f.Subjects) > 0 {
		tail += " AND x.subject_key IN (" + In(&args, f.Subjects) + ")"
	}
	if len(f.Objects) > 0 {
		tail += " AND x.object_key IN (" + In(&args, f.Objects) + ")"
	}
	if f.Superseding {
		tail += " AND x.supersedes <> 0"
	}
	err = a.Tx.Query(ctx, `SELECT p.row, x.subject, x.subject_key, x.predicate, x.object, x.object_key, x.valid_from, x.valid_until,
x.nth, x.supersedes, x.confidence, x.asserted_by, x.source, x.evidence, x.first_line, x.last_line, x.created, x.line`+tail+order,
		args, func(r []driver.Value) error {
			confidence, _ := r[10].(float64)
			out = append(out, kb.Assertion{
				Page: int64(num(r[0])), Subject: text(r[1]), SubjectKey: text(r[2]), Predicate: text(r[3]), Object: text(r[4]), ObjectKey: text(r[5]),
				ValidFrom: text(r[6]), ValidUntil: text(r[7]), Nth: num(r[8]), Supersedes: int64(num(r[9])), Confidence: confidence,
				AssertedBy: text(r[11]), Source: text(r[12]), Evidence: text(r[13]), Lines: [2]int{num(r[14]), num(r[15])},
				Created: text(r[16]), Line: num(r[17]),
			})
			return nil
		})
	return out, err
}

// Relations implements store.Assertions.
func (a Assertions) Relations(ctx context.Context, f store.AssertionFilter) (out []kb.Link, err error) {
	var args []any
	tail := from("links", f, &args)
	if f.ObjectPage != 0 {
		tail += " AND x.target = ?"
		args = append(args, f.ObjectPage)
	}
	err = a.Tx.Query(ctx, `SELECT p.row, x.target, x.candidates, x.type, x.name, x.valid_from, x.valid_until, x.context, x.line`+tail+" AND x.type <> 'links_to'"+order,
		args, func(r []driver.Value) error {
			out = append(out, kb.Link{
				From: int64(num(r[0])), To: int64(num(r[1])), Candidates: num(r[2]), Type: text(r[3]), Name: text(r[4]),
				ValidFrom: text(r[5]), ValidUntil: text(r[6]), Context: text(r[7]), Line: num(r[8]),
			})
			return nil
		})
	return out, err
}
