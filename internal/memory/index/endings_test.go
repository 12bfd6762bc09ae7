package index

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

// A text calls pages by their names, also where a relation has the slug.
func TestNamesOfTargets(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		link kb.Link
		want []string
	}{
		{kb.Link{Name: "Brex"}, []string{"Brex"}},
		{kb.Link{Name: "companies/acme"}, []string{"acme", "Acme"}},
		{kb.Link{Name: "companies/acme-labs_2"}, []string{"acme-labs_2", "Acme Labs 2"}},
		{kb.Link{Name: "companies/Acme-labs"}, []string{"Acme-labs"}},
		{kb.Link{Name: "élan vital"}, []string{"élan vital", "Élan Vital"}},
		{kb.Link{Name: "companies/acme", Text: "the labs"}, []string{"the labs"}},
		{kb.Link{Name: "companies/nordlicht-gmbh"}, []string{"nordlicht-gmbh", "Nordlicht Gmbh", "nordlicht", "Nordlicht"}},
		{kb.Link{Name: "Acme, Inc."}, []string{"Acme, Inc.", "Acme"}},
		{kb.Link{Name: "2024"}, []string{"2024"}},
		{kb.Link{Name: "東京"}, []string{"東京"}},
	} {
		var got []string
		for _, n := range names(&tc.link, 0) {
			got = append(got, n.Text)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: %s, want %s", fmt.Sprint(tc.link.Name, tc.link.Text), got, tc.want)
		}
	}
}
