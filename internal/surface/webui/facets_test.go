package webui_test

import (
	"fmt"
	"strings"
	"testing"
)

// Facets count all pages that words find, and not those of the part that is shown.
func TestFacets(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for i := range 25 {
		kind, status := "note", "active"
		if i%5 == 0 {
			kind, status = "idea", "stale"
		}
		b.put(fmt.Sprintf("p%02d", i), fmt.Sprintf("Page %d", i), "---\ntype: "+kind+"\nstatus: "+status+"\ntags: [all]\ndate: 2026-01-31\n---\n# Page\n\nneedle\n")
	}
	b.put("other", "Other", "Nothing.\n")
	b.put("names", "Names", "The Page 3 is named here.\n")
	b.signIn()
	page := b.do("GET", "/?q=needle&mode=fts").Body.String()
	for _, want := range []string{">note</span><span>20<", ">idea</span><span>5<", ">all</span><span>25<", ">stale</span><span>5<", "type=idea"} {
		if !strings.Contains(page, want) {
			t.Errorf("the facets lack %s", want)
		}
	}
	for path, want := range map[string]string{
		"/?q=needle&mode=fts&type=idea": "5 pages", "/?q=needle&mode=fts&status=stale": "5 pages", "/?type=idea": "5 pages",
		"/?q=needle&mode=fts&after=2026-01-01&before=2026-02-01": "25 pages", // the last day of the month counts
	} {
		if page := b.do("GET", path).Body.String(); !strings.Contains(page, want) {
			t.Errorf("%s lacks %q", path, want)
		}
	}
	if page := b.do("GET", "/page/memory:p03").Body.String(); !strings.Contains(page, "Mentions without a link") || !strings.Contains(page, "is named here") {
		t.Error("a page lacks its mentions")
	}
}
