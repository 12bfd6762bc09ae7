package tables

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/table"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lint"
)

// Tables reads and changes the tables of a space for one caller. It is safe for
// concurrent use.
type Tables struct {
	*memory.Session
	Space *write.Space // the current one when nil
}

// FindRow finds a row by its key, ignoring case and blanks.
func FindRow(t api.Table, key string) (api.TableRow, error) {
	if i := index(t, key); i >= 0 {
		return t.Items[i], nil
	}
	return api.TableRow{}, kb.Errorf(kb.NotFound, "the table %s has no row %q", t.Name, key)
}

// index returns the index of the row with a key, -1 for none.
func index(t api.Table, key string) int {
	key = table.Fold(key)
	return slices.IndexFunc(t.Items, func(r api.TableRow) bool { return table.Fold(r.Key) == key })
}

// sheet is a table with its page.
type sheet struct {
	at     *change.Document
	rule   policy.Table
	grid   *table.Grid
	rows   []table.Row
	faults []table.Fault
	api.Table
}

func (e Tables) space(ctx context.Context) (*write.Space, error) {
	if e.Space != nil {
		return e.Space, nil
	}
	return e.Spaces.OpenCurrent(ctx)
}

// List reads the tables of the space in the order of its policy, or only the one
// with a name.
func (e Tables) List(ctx context.Context, name string) ([]api.Table, error) {
	s, err := e.space(ctx)
	if err != nil {
		return nil, err
	}
	out := []api.Table{}
	for _, t := range s.Policy.Tables {
		if name != "" && t.Name != name {
			continue
		}
		found, err := e.read(ctx, s, t)
		if err != nil {
			return nil, err
		}
		out = append(out, found.Table)
	}
	if name != "" && len(out) == 0 {
		return nil, unknown(s, name)
	}
	return out, nil
}

func unknown(s *write.Space, name string) error {
	err := kb.Errorf(kb.NotFound, "%s has no table %q", s.Name, name)
	var names []string
	for _, t := range s.Policy.Tables {
		names = append(names, t.Name)
	}
	if len(names) == 0 {
		return err.WithHint("Name some in [[table]] of its policy, or use the preset context.")
	}
	return err.WithHint("There are %s.", strings.Join(names, ", "))
}

func (e Tables) read(ctx context.Context, s *write.Space, t policy.Table) (*sheet, error) {
	d, err := change.At(ctx, e.Session, s, t.Page)
	if err != nil {
		return nil, err
	}
	out := &sheet{at: d, rule: t, Table: api.Table{Name: t.Name, Space: s.Name, Page: t.Page, Key: t.Key(), Columns: []string{}, Items: []api.TableRow{}}}
	if !d.Exists() {
		out.Problems = []api.TableProblem{{Line: 1, Text: "the page is missing"}}
		return out, nil
	}
	out.Version, out.grid = d.Row.Version, table.Find(d.Doc, t.Section)
	if out.grid.Found {
		out.Columns = out.grid.Columns
	}
	out.rows, out.faults = lint.Rows(out.grid, t)
	for _, f := range out.faults {
		out.Problems = append(out.Problems, api.TableProblem{Line: f.Line, Text: f.Text})
	}
	for _, r := range out.rows {
		row := api.TableRow{Key: r.Cells[out.grid.Column(t.Key())], Values: map[string]string{}, Line: r.Line}
		for i, c := range out.Columns {
			row.Values[c] = r.Cells[i]
		}
		out.Items = append(out.Items, row)
	}
	out.Total = len(out.Items)
	return out, nil
}

// Request changes a row.
type Request struct {
	api.WriteOptions
	Table string
	Key   string
	// Values are the new texts of cells, by column; other cells stay.
	Values map[string]string
	// Whole empties the cells that Values does not name. Only changes an existing
	// row, and adds none.
	Whole, Only bool
}

// open reads the table of a request for a change.
func (e Tables) open(ctx context.Context, req Request) (*sheet, error) {
	s, err := e.space(ctx)
	if err != nil {
		return nil, err
	}
	rule, _, ok := s.Policy.TableAt(req.Table)
	switch {
	case !ok:
		return nil, unknown(s, req.Table)
	case strings.TrimSpace(req.Key) == "":
		return nil, kb.Errorf(kb.Usage, "a row of %s is named by its %s", rule.Name, rule.Key())
	}
	if r, found := kb.Invisible(req.Key); found {
		return nil, kb.Errorf(kb.Invalid, "the name of the row %q has an invisible character, %U", req.Key, r).
			WithHint("Type the name instead of pasting it.")
	}
	t, err := e.read(ctx, s, rule)
	switch {
	case err != nil:
		return nil, err
	case !t.at.Exists():
		return nil, kb.Errorf(kb.NotFound, "%s is not there, which has the table %s", rule.Page, rule.Name).
			WithHint("Upgrading the space makes the pages of its preset that are missing.")
	case !t.grid.Found && !t.grid.Wanting, t.grid.Found && t.grid.Column(rule.Key()) < 0:
		return nil, kb.Errorf(kb.Invalid, "the table %s of %s cannot be read: %s", rule.Name, rule.Page, t.Problems[0].Text).
			With("problems", t.Problems).WithHint("Nothing was written. Mend the page first.")
	}
	return t, nil
}

// Set changes the row with a key, or appends it.
func (e Tables) Set(ctx context.Context, req Request) (api.Written, error) {
	return change.Retry(ctx, req.WriteOptions, func() (api.Written, error) { return e.set(ctx, req) })
}

func (e Tables) set(ctx context.Context, req Request) (api.Written, error) {
	t, err := e.open(ctx, req)
	if err != nil {
		return api.Written{}, err
	}
	columns := t.grid.Columns
	if t.grid.Wanting {
		columns = t.rule.Columns
	}
	at := func(name string) int { return table.Column(columns, name) }
	cells := map[int]string{}
	for _, name := range slices.Sorted(maps.Keys(req.Values)) {
		i := at(name)
		if i < 0 {
			return api.Written{}, kb.Errorf(kb.Invalid, "the table %s has no column %q", req.Table, name).WithHint("It has %s.", strings.Join(columns, ", "))
		}
		cells[i] = strings.Join(strings.Fields(req.Values[name]), " ")
	}
	row, err := t.find(req.Key)
	old := err == nil
	if !old && (req.Only || kb.CodeOf(err) != kb.NotFound) {
		return api.Written{}, err
	}
	if named, ok := cells[at(t.rule.Key())]; !old && ok && table.Fold(named) != table.Fold(req.Key) {
		return api.Written{}, kb.Errorf(kb.Invalid, "the table %s has no row %q, and the one to add says that its %s is %q", t.Name, req.Key, t.rule.Key(), named).
			WithHint("Nothing was written. Name the row that is to be renamed, or leave %s out to add one.", t.rule.Key())
	} else if !old && !ok {
		cells[at(t.rule.Key())] = strings.Join(strings.Fields(req.Key), " ")
	}
	all := make([]string, len(columns))
	if old && !req.Whole {
		copy(all, row.Cells)
	}
	if old && req.Whole {
		all[at(t.rule.Key())] = row.Cells[at(t.rule.Key())]
	}
	for i, c := range cells {
		all[i] = c
	}
	if err := t.check(all[at(t.rule.Key())], all, columns, row, old); err != nil {
		return api.Written{}, err
	}
	edit := doc.Edit(nil)
	switch {
	case t.grid.Wanting:
		edit = t.grid.Make(columns, all)
	case old:
		edit = t.grid.Set(row, all)
	default:
		edit = t.grid.Add(all)
	}
	return e.apply(ctx, t, req, edit)
}

// find returns the row with a key: kb.NotFound if missing, and kb.Invalid if an
// unreadable line has that key.
func (t *sheet) find(key string) (table.Row, error) {
	if i := index(t.Table, key); i >= 0 {
		return t.rows[i], nil
	}
	if f, ok := t.unread(key); ok {
		return table.Row{}, kb.Errorf(kb.Invalid, "the row %q of the table %s cannot be read: %s", key, t.Name, f.Text).
			With("path", t.Page).With("line", f.Line).WithHint("Nothing was written. Mend line %d of %s first.", f.Line, t.Page)
	}
	_, err := FindRow(t.Table, key)
	return table.Row{}, err
}

// unread finds the unreadable line with a key.
func (t *sheet) unread(key string) (table.Fault, bool) {
	at := t.grid.Column(t.rule.Key())
	i := slices.IndexFunc(t.faults, func(f table.Fault) bool {
		return at >= 0 && at < len(f.Cells) && table.Fold(f.Cells[at]) == table.Fold(key)
	})
	if i < 0 {
		return table.Fault{}, false
	}
	return t.faults[i], true
}

// check rejects a row that could not be read back, or that has the key of another
// row.
func (t *sheet) check(key string, cells, columns []string, row table.Row, old bool) error {
	other := index(t.Table, key)
	taken := other >= 0 && !(old && t.rows[other].Line == row.Line)
	if _, unread := t.unread(key); unread && other < 0 {
		taken = true
	}
	problem := lint.RowFault(t.rule, columns, cells, taken)
	if problem == "" {
		return nil
	}
	return kb.Errorf(kb.Invalid, "the row does not fit the table %s: %s", t.Name, problem).WithHint("Nothing was written.")
}

// Remove removes the row with a key.
func (e Tables) Remove(ctx context.Context, req Request) (api.Written, error) {
	return change.Retry(ctx, req.WriteOptions, func() (api.Written, error) { return e.remove(ctx, req) })
}

func (e Tables) remove(ctx context.Context, req Request) (api.Written, error) {
	t, err := e.open(ctx, req)
	if err != nil {
		return api.Written{}, err
	}
	row, err := t.find(req.Key)
	if err != nil {
		return api.Written{}, err
	}
	return e.apply(ctx, t, req, t.grid.Remove(row))
}

func (e Tables) apply(ctx context.Context, t *sheet, req Request, edit doc.Edit) (api.Written, error) {
	c := t.at.Change(write.Edit{Edits: []doc.Edit{edit}})
	if req.Expected != nil {
		c.Expected = req.Expected
	}
	return change.Apply(ctx, e.Session, "table", req.WriteOptions, []write.Change{c})
}
