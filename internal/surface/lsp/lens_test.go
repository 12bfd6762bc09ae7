package lsp_test

import (
	"fmt"
	"strings"
	"testing"
)

// The lenses of a file with a page at each of many headings count the links to each.
func TestLensesOfManyPages(t *testing.T) {
	t.Parallel()
	const ids = 600
	var org, links strings.Builder
	for n := range ids {
		id := fmt.Sprintf("9d1c4d6e-95f0-4e0f-8a5e-%012d", n)
		fmt.Fprintf(&org, "* Task %d\n:PROPERTIES:\n:ID: %s\n:END:\n", n, id)
		links.WriteString(strings.Repeat("[[id:"+id+"]]\n", n%3))
	}
	e := newEditor(t, map[string]string{"tasks.org": org.String(), "links.org": links.String()}, nil)
	e.synced()
	e.open("tasks.org", "")
	e.open("links.org", "")
	var lenses []struct{ Command struct{ Title string } }
	e.call("textDocument/codeLens", object{"textDocument": object{"uri": e.uri("tasks.org")}}, &lenses)
	count := map[string]int{}
	for _, l := range lenses {
		count[l.Command.Title]++
	}
	if count["0 backlinks"] != 1+ids/3 || count["1 backlink"] != ids/3 || count["2 backlinks"] != ids/3 {
		t.Errorf("%v", count)
	}
}
