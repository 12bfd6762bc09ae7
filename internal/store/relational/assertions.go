package relational

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// assertions implements store.Assertions.
type assertions struct{ t *Tx }

var _ store.Assertions = assertions{}

// insertAssertion inserts rows returned by assertionRow, which have assertionWidth values.
const (
	insertAssertion = `INSERT OR FAIL INTO assertions (row, subject, subject_key, predicate, object, object_key, valid_from, valid_until,
nth, supersedes, confidence, asserted_by, source, evidence, first_line, last_line, created, line)`
	assertionWidth = 18
)

// assertionRow returns the values of a row.
func assertionRow(row int64, a kb.Assertion) []any {
	return []any{
		row, a.Subject, a.SubjectKey, a.Predicate, a.Object, a.ObjectKey, a.ValidFrom, a.ValidUntil,
		a.Nth, a.Supersedes, a.Confidence, a.AssertedBy, a.Source, a.Evidence, a.Lines[0], a.Lines[1], a.Created, a.Line,
	}
}

// assertionsFrom joins a table x of facts with the pages p of a filter and their documents
// d. It starts from the pages if they are known, else from the facts.
func assertionsFrom(d *Dialect, table string, f store.AssertionFilter, args *[]any) string {
	join := table + " x CROSS JOIN pages p ON p.row = x.row >> 24"
	if len(f.Pages) > 0 {
		join = "pages p CROSS JOIN " + table + " x ON x.row BETWEEN p.row << 24 AND p.row << 24 | 16777215"
	}
	join = " FROM " + join + " JOIN documents d ON d.row = p.document WHERE TRUE"
	if len(f.Spaces) > 0 {
		join += " AND p.space IN (" + inList(d, args, f.Spaces) + ")"
	}
	if len(f.Pages) > 0 {
		join += " AND p.row IN (" + inList(d, args, f.Pages) + ")"
	}
	return join
}

const assertionOrder = " ORDER BY p.space, d.path, x.row"

// List implements store.Assertions.
func (a assertions) List(ctx context.Context, f store.AssertionFilter) (out []kb.Assertion, err error) {
	var args []any
	tail := assertionsFrom(a.t.d, "assertions", f, &args)
	if len(f.Subjects) > 0 {
		tail += " AND x.subject_key IN (" + inList(a.t.d, &args, f.Subjects) + ")"
	}
	if len(f.Objects) > 0 {
		tail += " AND x.object_key IN (" + inList(a.t.d, &args, f.Objects) + ")"
	}
	if f.Superseding {
		tail += " AND x.supersedes <> 0"
	}
	err = a.t.query(ctx, `SELECT p.row, x.subject, x.subject_key, x.predicate, x.object, x.object_key, x.valid_from, x.valid_until,
x.nth, x.supersedes, x.confidence, x.asserted_by, x.source, x.evidence, x.first_line, x.last_line, x.created, x.line`+tail+assertionOrder,
		args, func(r Row) error {
			confidence, _ := r[10].(float64)
			out = append(out, kb.Assertion{
				Page: r.Int(0), Subject: r.Text(1), SubjectKey: r.Text(2), Predicate: r.Text(3), Object: r.Text(4), ObjectKey: r.Text(5),
				ValidFrom: r.Text(6), ValidUntil: r.Text(7), Nth: r.Num(8), Supersedes: r.Int(9), Confidence: confidence,
				AssertedBy: r.Text(11), Source: r.Text(12), Evidence: r.Text(13), Lines: [2]int{r.Num(14), r.Num(15)},
				Created: r.Text(16), Line: r.Num(17),
			})
			return nil
		})
	return out, err
}

// Relations implements store.Assertions.
func (a assertions) Relations(ctx context.Context, f store.AssertionFilter) (out []kb.Link, err error) {
	var args []any
	tail := assertionsFrom(a.t.d, "links", f, &args)
	if f.ObjectPage != 0 {
		tail += " AND x.target = ?"
		args = append(args, f.ObjectPage)
	}
	err = a.t.query(ctx, `SELECT p.row, x.target, x.candidates, x.type, x.name, x.valid_from, x.valid_until, x.context, x.line`+tail+" AND x.type <> 'links_to'"+assertionOrder,
		args, func(r Row) error {
			out = append(out, kb.Link{
				From: r.Int(0), To: r.Int(1), Candidates: r.Num(2), Type: r.Text(3), Name: r.Text(4),
				ValidFrom: r.Text(5), ValidUntil: r.Text(6), Context: r.Text(7), Line: r.Num(8),
			})
			return nil
		})
	return out, err
}
