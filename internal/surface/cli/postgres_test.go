package cli_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
	"github.com/cairn-kb/cairn/internal/surface/cli/scripttest"
)

// Scripts of memories in files run over PostgreSQL as they are.
func TestScriptsOverPostgreSQL(t *testing.T) {
	t.Parallel()
	pgtest.Shared(t)
	files := []string{"testdata/postgres/memory.txtar", "testdata/postgres/hosts.txtar", "spaces/testdata/script/alias_links.txtar"}
	for _, name := range []string{"filters", "contest"} {
		files = append(files, "testdata/script/"+name+".txtar")
	}
	scripttest.RunOver(t, files, func() string { return pgtest.URL(t) })
}
