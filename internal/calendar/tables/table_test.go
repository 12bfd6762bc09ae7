package tables_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/tables"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

const tableOfJobs = "# Rules\n\n| Job | When |\n|---|---|\n"

// withJobs opens a space with a table of jobs.
func withJobs(t *testing.T, page string) (*memory.Session, tables.Tables) {
	t.Helper()
	b := apptest.New(t)
	root := b.Dir("notes", map[string]string{
		".cairn/space.toml": "table = [{ name = \"jobs\", page = \"rules.md\", columns = [\"Job\", \"When\"] }]\n",
		"rules.md":          page,
	})
	a := b.Open()
	if _, err := gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root}); err != nil {
		t.Fatal(err)
	}
	return a, tables.Tables{Session: a}
}

// Those who change a table at once do not fail each other, unless they expect a version.
func TestTableAtOnce(t *testing.T) {
	t.Parallel()
	a, foundTables := withJobs(t, tableOfJobs)
	version := apptest.OK(foundTables.List(t.Context(), "jobs"))(t)[0].Version
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			_, err := foundTables.Set(t.Context(), tables.Request{Table: "jobs", Key: fmt.Sprintf("job %d", i), Values: map[string]string{"When": "daily"}})
			if err != nil {
				t.Errorf("job %d: %v", i, err)
			}
		})
	}
	all.Wait()
	if found := apptest.OK(foundTables.List(t.Context(), "jobs"))(t)[0]; found.Total != 8 {
		t.Errorf("rows are %+v", found.Items)
	}
	_, err := foundTables.Set(t.Context(), tables.Request{WriteOptions: api.WriteOptions{Expected: &version}, Table: "jobs", Key: "late"})
	if kb.CodeOf(err) != kb.Conflict {
		t.Errorf("a version that is no more: %v", err)
	}
	_, err = change.Contest(t.Context(), a, change.ContestRequest{WriteOptions: api.WriteOptions{Expected: &version}, A: "a", B: "b", Reason: "No."})
	if kb.CodeOf(err) != kb.Usage {
		t.Errorf("one version of two pages: %v", err)
	}
}

// Who contests a page while others write to it is not refused for it.
func TestContestAtOnce(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	files := map[string]string{"a.md": "# A\n"}
	for i := range 6 {
		files[fmt.Sprintf("b%d.md", i)] = "# B\n"
	}
	a := b.Open()
	if _, err := gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: b.Dir("notes", files)}); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			if _, err := change.Contest(t.Context(), a, change.ContestRequest{A: "a", B: fmt.Sprintf("b%d", i), Reason: "No."}); err != nil {
				t.Errorf("b%d: %v", i, err)
			}
		})
	}
	all.Wait()
	got := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: "a"}))(t)
	if n := strings.Count(got.Text, "contradicts"); n != 6 {
		t.Errorf("%d are contradicted:\n%s", n, got.Text)
	}
}

// A row is found by a name that looks like its own, and no second one is made of it.
func TestTableNames(t *testing.T) {
	t.Parallel()
	const broken = tableOfJobs + "| Check  Mail | daily |\n| wide | daily | more |\nno row\n| caf\u00e9 | x |\n| zero\u200bwidth | x |\n"
	for name, c := range map[string]struct {
		key    string
		values map[string]string
		page   string // a line of it afterwards
		fault  string // or why not
		line   int
	}{
		"blanks around":        {key: "  check mail ", page: "| Check  Mail | now   |"},
		"blanks within":        {key: "Check \t Mail", page: "| Check  Mail | now   |"},
		"no-break space":       {key: "Check\u00a0Mail", page: "| Check  Mail | now   |"},
		"accents apart":        {key: "cafe\u0301", page: "| caf\u00e9 | now |"},
		"blanks in a new one":  {key: " new  one ", page: "| new one | now |"},
		"another name":         {key: "new", values: map[string]string{"Job": "newer"}, fault: "says that its Job"},
		"the same name":        {key: "new", values: map[string]string{"Job": "New"}, page: "| New | now |"},
		"too many cells":       {key: "Wide", fault: "more cells", line: 6},
		"no pipes":             {key: "no row", fault: "not a row of the table", line: 7},
		"hidden in the page":   {key: "zerowidth", fault: "U+200B", line: 9},
		"hidden in the key":    {key: "soft\u00adhyphen", fault: "U+00AD"},
		"hidden in the cell":   {key: "Check Mail", values: map[string]string{"Job": "b\u202eidi"}, fault: "U+202E"},
		"renamed to a bad one": {key: "Check Mail", values: map[string]string{"Job": "wide"}, fault: "already"},
		"a rule":               {key: "---", values: map[string]string{"When": "-"}, fault: "as a rule"},
	} {
		t.Run(name, func(t *testing.T) {
			a, foundTables := withJobs(t, broken)
			values := map[string]string{"When": "now"}
			for k, v := range c.values {
				values[k] = v
			}
			_, err := foundTables.Set(t.Context(), tables.Request{Table: "jobs", Key: c.key, Values: values})
			text := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: "rules"}))(t).Text
			if c.fault == "" {
				if err != nil || !strings.Contains(text, c.page+"\n") {
					t.Errorf("%v:\n%s", err, text)
				}
				return
			}
			if kb.CodeOf(err) != kb.Invalid || !strings.Contains(err.Error(), c.fault) || text != broken {
				t.Errorf("%v:\n%s", err, text)
			}
			if line, _ := kb.AsError(err).Details["line"].(int); line != c.line {
				t.Errorf("line %d is named: %v", line, err)
			}
		})
	}
}
