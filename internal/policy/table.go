package policy

import (
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Table is a table on a page with rows that programs read and change by key.
type Table struct {
	Name    string   `toml:"name"`
	Page    string   `toml:"page"`              // path
	Section string   `toml:"section,omitempty"` // heading above it; the first of the page when empty
	Columns []string `toml:"columns"`           // of a missing table; the first is the key of a row

	// Values are the allowed values of a column's cells; any when empty.
	Values map[string][]string `toml:"values,omitempty"`
}

// Key is the column that identifies rows.
func (t Table) Key() string { return t.Columns[0] }

// Fault returns the problem of a cell in a column, "" for none.
func (t Table) Fault(column, cell string) string {
	for name, values := range t.Values {
		if strings.EqualFold(name, column) && !slices.Contains(values, cell) {
			return column + " is not one of " + strings.Join(values, ", ")
		}
	}
	return ""
}

// TableAt finds the table of a path, and the key of its row; the key of the table
// itself is "".
func (p *Policy) TableAt(path string) (t Table, key string, ok bool) {
	name, key, _ := strings.Cut(path, "/")
	i := slices.IndexFunc(p.Tables, func(t Table) bool { return t.Name == name })
	if i < 0 {
		return t, "", false
	}
	return p.Tables[i], key, true
}

// TablesOn returns the tables of a page.
func (p *Policy) TablesOn(page string) (out []Table) {
	for _, t := range p.Tables {
		if t.Page == page {
			out = append(out, t)
		}
	}
	return out
}

var tableName = lazyregexp.New(`^[a-z0-9][a-z0-9_-]*$`)

func (p *Policy) validateTables() error {
	names := map[string]bool{}
	for _, t := range p.Tables {
		bad := func(format string, args ...any) *kb.Error {
			return kb.Errorf(kb.Invalid, "table "+t.Name+" in the space's policy: "+format, args...)
		}
		switch {
		case !tableName().MatchString(t.Name):
			return kb.Errorf(kb.Invalid, "table %q in the space's policy has no usable name", t.Name).
				WithHint("Use small letters, digits, - and _.")
		case names[t.Name]:
			return bad("there are two")
		case !isPath(t.Page):
			return bad("%q is not a path of a page", t.Page)
		case len(t.Columns) == 0:
			return bad("it has no columns")
		}
		seen := map[string]bool{}
		for _, c := range t.Columns {
			if strings.TrimSpace(c) != c || c == "" || strings.ContainsAny(c, "|\n\r") || seen[strings.ToLower(c)] {
				return bad("%q cannot be a column", c)
			}
			seen[strings.ToLower(c)] = true
		}
		for c, values := range t.Values {
			if !seen[strings.ToLower(c)] || len(values) == 0 {
				return bad("the values of %q belong to no column, or are empty", c)
			}
		}
		names[t.Name] = true
	}
	return nil
}
