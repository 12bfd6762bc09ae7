package archtest

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// statement finds the start of an SQL statement as this repository writes
// them: keywords in capitals.
var statement = regexp.MustCompile(`^\s*(SELECT\s|INSERT (OR \w+ )?INTO\s|UPDATE\s+\S+\s+SET\s|DELETE FROM\s|CREATE (UNIQUE |VIRTUAL |TEMP )*(TABLE|INDEX|VIEW|TRIGGER)\s|ALTER TABLE\s|DROP (TABLE|INDEX|VIEW|TRIGGER)\s|PRAGMA\s|VACUUM\b|WITH \w+( |\().*SELECT|BEGIN( IMMEDIATE| EXCLUSIVE)?$|COMMIT$|ROLLBACK$|SAVEPOINT\s|ATTACH\s)`)

// Only stores know our tables, so that a second database can follow; and only
// transfer/foreign knows the tables of other programs.
func TestSQLStaysInStore(t *testing.T) {
	t.Parallel()
	inStore := 0
	for _, p := range packages(t) {
		within := strings.HasPrefix(p.short(), "store/") || strings.HasPrefix(p.short(), "transfer/foreign")
		for _, f := range p.files {
			if f.test && !within && p.short() == "test/archtest" {
				continue // the samples below
			}
			ast.Inspect(f.tree, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(lit.Value)
				if err != nil || !statement.MatchString(text) {
					return true
				}
				if within {
					inStore++
				} else {
					t.Errorf("%s holds SQL: it belongs in store", fset.Position(lit.Pos()))
				}
				return true
			})
		}
	}
	if inStore < 20 {
		t.Errorf("only %d statements were found in store: the rule looks for the wrong ones", inStore)
	}
}

func TestStatement(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"SELECT row FROM pages":             true,
		"\n\tINSERT INTO pages VALUES (?)":  true,
		"INSERT OR REPLACE INTO t":          true,
		"UPDATE pages SET title = ?":        true,
		"DELETE FROM links WHERE row = ?":   true,
		"CREATE TABLE t (x)":                true,
		"PRAGMA user_version":               true,
		"BEGIN IMMEDIATE":                   true,
		"WITH a AS (SELECT 1) SELECT 2":     true,
		"Delete from the page":              false,
		"select what to show":               false,
		"UPDATE the page and SET its title": false,
		"BEGIN PRIVATE KEY":                 false,
	} {
		if got := statement.MatchString(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
