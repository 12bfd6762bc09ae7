package scenarios_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/assertion"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// A relation that a page states from the other side contradicts what the rules say of its
// predicate, whichever of the pages is checked, and is ended where it is written.
func TestInversePredicates(t *testing.T) {
	t.Parallel()
	const tidal, mira, bo, cal = "companies/tidal", "people/mira", "people/bo", "people/cal"
	for name, tc := range map[string]struct {
		pages map[string]string
		by    *api.AssertRequest
		want  string
		keep  string // the side that is kept
		ended string // the line that ends then, of the page
		of    string
	}{
		"a firm names its CEO": {
			pages: map[string]string{tidal: "- ceo [[people/mira]] @2019..", bo: "- ceo_of [[companies/tidal]] @2026-03.."},
			want:  "cross_page Tidal: ceo_of: Mira @2019.. and Bo @2026-03..", keep: "b", of: tidal, ended: "- ceo [[people/mira]] @2019..2026-03",
		},
		"in another spelling": {
			pages: map[string]string{tidal: "- has CEO [[Mira]] @2019..", bo: "- is_ceo_of [[Tidal]] @2026-03.."},
			want:  "cross_page Tidal: ceo_of: Mira @2019.. and Bo @2026-03..", keep: "a", of: bo, ended: "- is_ceo_of [[Tidal]] @2026-03..2026-11-27",
		},
		"two on one page": {
			pages: map[string]string{tidal: "- ceo [[Mira]] @2019..\n- ceo [[Bo]] @2026.."},
			want:  "cross_page Tidal: ceo_of: Mira @2019.. and Bo @2026..", keep: "b", of: tidal, ended: "- ceo [[Mira]] @2019..2026",
		},
		"an assertion": {
			pages: map[string]string{bo: "- ceo_of [[Tidal]] @2026-03.."},
			by:    &api.AssertRequest{Subject: tidal, Predicate: "ceo", Object: mira, Since: "2019"},
			want:  "cross_page Tidal: ceo_of: Mira @2019.. and Bo @2026-03..",
		},
		"a name without a page": {
			pages: map[string]string{tidal: "- ceo [[Ingrid Nes]] @2019..", bo: "- ceo_of [[companies/tidal]] @2026-03.."},
			want:  "cross_page Tidal: ceo_of: Ingrid Nes @2019.. and Bo @2026-03..", keep: "b", of: tidal, ended: "- ceo [[Ingrid Nes]] @2019..2026-03",
		},
		"a key with a name without a page": {
			pages: map[string]string{tidal: "---\nceo: Ingrid Nes\n---\n", bo: "- ceo_of [[companies/tidal]] @2026-03.."},
			want:  "cross_page Tidal: ceo_of: Ingrid Nes and Bo @2026-03..",
		},
		"an assertion of a name": {
			pages: map[string]string{tidal: "A firm.", bo: "- ceo_of [[companies/tidal]] @2026-03.."},
			by:    &api.AssertRequest{Subject: "Ingrid Nes", Predicate: "is_ceo_of", Object: tidal, On: tidal, Since: "2019"},
			want:  "cross_page Tidal: is_ceo_of: Ingrid Nes @2019.. and Bo @2026-03..",
		},
		"no name":          {pages: map[string]string{tidal: "---\nceo: vacant\n---\n", bo: "- ceo_of [[companies/tidal]] @2026-03.."}},
		"a longer name":    {pages: map[string]string{tidal: "- ceo [[Bo Lind]]", bo: "- ceo_of [[companies/tidal]] @2026-03.."}},
		"two firms of one": {pages: map[string]string{tidal: "- ceo [[Ingrid Nes]]", "companies/acme": "- ceo [[Ingrid Nes]]"}},
		"the one before":   {pages: map[string]string{tidal: "- ceo [[Mira]] @2019..2026-03", bo: "- ceo_of [[Tidal]] @2026-03.."}},
		"two employers": {
			pages: map[string]string{tidal: "- employs [[Mira]] @2019..", mira: "- works_at [[companies/acme]] @2025.."},
			want:  "cross_page Mira: works_at: Tidal @2019.. and companies/acme @2025..", keep: "b", of: tidal, ended: "- employs [[Mira]] @2019..2025",
		},
		"many employees": {pages: map[string]string{tidal: "- employs [[Mira]]\n- employs [[Bo]]\n- employs [[Cal]]"}},
		"the text of a person": {
			pages: map[string]string{tidal: "- ceo [[Mira]] @2019..", mira: "Mira stepped down as CEO of [[Tidal]] in May 2026."},
			want:  "temporal Mira: ceo_of Tidal @2019.. is open, the text says it ended in 2026-05", keep: "b", of: tidal, ended: "- ceo [[Mira]] @2019..2026-05",
		},
		"the name of the firm in the text of a person": {
			pages: map[string]string{tidal: "- employs [[Mira]] @2019..", mira: "Mira has left Tidal."},
			want:  "temporal Mira: works_at Tidal @2019.. is open, the text says it ended",
		},
		"the end of a role, and not of the employment": {
			pages: map[string]string{tidal: "Mira stepped down as CEO in May 2026.\n\nMira is no longer team lead.\n\nMira has left the board.\n\nMira worked as an intern until May 2026.\n\n- employs [[Mira]] @2019.."},
		},
		"the end of another role": {
			pages: map[string]string{tidal: "Mira is no longer team lead.\n\n- ceo [[Mira]] @2019.."},
		},
		"a firm without her": {
			pages: map[string]string{tidal: "Mira left in March 2026.\n\n- employs [[Mira]] @2019.."},
			want:  "temporal Mira: works_at Tidal @2019.. is open, the text says it ended in 2026-03",
		},
		"the text of the firm": {
			pages: map[string]string{tidal: "Mira stepped down as CEO in May 2026.\n\n- ceo [[Mira]] @2019.."},
			want:  "temporal Mira: ceo_of Tidal @2019.. is open, the text says it ended in 2026-05", keep: "b", of: tidal, ended: "- ceo [[Mira]] @2019..2026-05",
		},
		"the text of the firm about a relation of the person": {
			pages: map[string]string{tidal: "[[Mira]] left in March 2026.", mira: "- works_at [[companies/tidal]] @2019.."},
			want:  "temporal Mira: works_at companies/tidal @2019.. is open, the text says it ended in 2026-03", keep: "b", of: mira, ended: "- works_at [[companies/tidal]] @2019..2026-03",
		},
		"the successor": {
			pages: map[string]string{tidal: "Bo succeeded Mira as CEO in June 2026.\n\n- ceo [[Mira]] @2019.."},
			want:  "temporal Mira: ceo_of Tidal @2019.. is open, the text says it ended in 2026-06",
		},
		"another person left": {pages: map[string]string{tidal: "[[Bo]] left in March 2026.\n\n- employs [[Mira]] @2019.."}},
		"married in both directions": {
			pages: map[string]string{mira: "- married_to [[Bo]] @2010..", bo: "- married_to [[Cal]] @2020.."},
			want:  "cross_page Bo: married_to: Cal @2020.. and Mira @2010..", keep: "a", of: mira, ended: "- married_to [[Bo]] @2010..2020",
		},
		"one marriage": {pages: map[string]string{mira: "- married_to [[Bo]] @2010..", bo: "- married_to [[Mira]] @2010.."}},
		"bought twice": {
			pages: map[string]string{"companies/acme": "- acquired [[Tidal]] @2025-01", "companies/nord": "- acquired [[Tidal]] @2026-01", tidal: ""},
			want:  "cross_page Tidal: acquired_by: Acme @2025-01.. and Nord @2026-01..",
		},
	} {
		t.Run(name, func(t *testing.T) {
			pages := map[string]string{tidal: "", mira: "", bo: "", cal: "", "companies/acme": "", "companies/nord": ""}
			for slug := range pages {
				_, title, _ := strings.Cut(slug, "/")
				front, text, ok := strings.Cut(tc.pages[slug], "\n---\n")
				if !ok {
					front, text = "", front
				} else {
					front += "\n---\n"
				}
				pages[slug] = front + "# " + strings.ToUpper(title[:1]) + title[1:] + "\n\n" + text + "\n"
			}
			a := inMemory(t, pages)
			if tc.by != nil {
				apptest.OK(assertion.Add(t.Context(), a, *tc.by))(t)
			}
			if got := certainly(t, a, contradiction.Request{}); got != tc.want {
				t.Fatalf("found %q, want %q", got, tc.want)
			}
			if tc.want == "" {
				return
			}
			l := apptest.OK(contradiction.List(t.Context(), a, contradiction.Request{}))(t)
			id := l.Items[0].ID
			for _, side := range []api.Side{l.Items[0].A, l.Items[0].B} {
				if got := certainly(t, a, contradiction.Request{Ref: side.Ref}); got != tc.want {
					t.Errorf("check of %s found %q", side.Ref, got)
				}
				if got := certainly(t, a, contradiction.Request{Ref: side.SubjectRef}); got != tc.want {
					t.Errorf("check of %s found %q", side.SubjectRef, got)
				}
			}
			if tc.keep == "" {
				return
			}
			apptest.OK(change.Resolve(t.Context(), a, contradiction.ResolveRequest{ID: id, Keep: tc.keep}))(t)
			if text := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: tc.of}))(t).Text; !strings.Contains(text, tc.ended+"\n") {
				t.Errorf("%s has %q", tc.of, text)
			}
			if got := certainly(t, a, contradiction.Request{}); got != "" {
				t.Errorf("settled, and still %q", got)
			}
		})
	}
}
