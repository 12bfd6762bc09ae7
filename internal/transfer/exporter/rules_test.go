package exporter

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/doc/org"
)

// In Org a heading with an id is a page of its own. What is not exported of a document is
// left out of such pages, too.
func TestOrgHeadingsWithIDs(t *testing.T) {
	t.Parallel()
	id := func(n string) string {
		return ":PROPERTIES:\n:ID: 9f1d5c1e-0000-4000-8000-00000000000" + n + "\n:END:\n"
	}
	text := "* Work\n" + id("1") + "done\n** Health\n" + id("2") + "secret\n* Health\n" + id("3") + "secret\n** Sub\nsecret\n" +
		"* Diary\n:PROPERTIES:\n:ID: 9f1d5c1e-0000-4000-8000-000000000004\n:private: t\n:END:\nsecret\n* End\n"
	d := org.Codec{}.Parse("a.org", []byte(text))
	for _, tc := range []struct {
		rules rules
		want  string
	}{
		{rules{leaveOut: []string{"Health"}, withhold: "private"}, "* Work\n" + id("1") + "done\n* End\n"},
		{rules{only: []string{"Work"}}, "* Work\n" + id("1") + "done\n** Health\n" + id("2") + "secret\n"},
	} {
		if got, err := tc.rules.export(d); err != nil || string(got) != tc.want {
			t.Errorf("%+v: %v\n%s\nwant\n%s", tc.rules, err, got, tc.want)
		}
	}
}
