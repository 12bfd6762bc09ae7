package compact_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/knowledge/compact"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// Whatever pages link to each other, in whatever way: after compactions, also of
// summaries, each compacted page leads to one page that is not compacted, no text is
// lost, and undoing them gives the first bytes.
func TestCompactedPagesLeadToOneSummary(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, b *bed) {
		r := rand.New(rand.NewPCG(17, 5))
		const n = 26
		name := func(i int) string { return fmt.Sprintf("Page%d", i) }
		forms := []string{"- related [[%s]]", "- related [[%s]]", "- relates_to [[%s]] @2020..", "See [[%s]] again.", "- uses [[%s]] @2019-01-01..2020-01-01", "- uses [[%s]] @2020-01-01..", "- contradicts [[%s]]", "- compacted_into [[%s]]", "[[%s|as shown]] and more."}
		for i := range n {
			body := fmt.Sprintf("Sentence %d says that number %d is known to be odd%d or even. It goes on for a while.\n", i, i, i)
			for _, to := range r.Perm(n)[:r.IntN(6)] {
				body += "\n" + fmt.Sprintf(forms[r.IntN(len(forms))], name(to)) + "\n"
			}
			b.put(name(i), []string{"stale", "stale", "active"}[r.IntN(3)], body)
		}
		states := []map[string]string{}
		var writes []int64
		age := func(ref string) {
			w := apptest.OK(ageing.ChangeStatus(t.Context(), b.app, ageing.StatusRequest{Ref: ref, Status: "stale"}))(t)
			writes = append(writes, w.Write)
		}
		compactions := 0
		for range 6 {
			states = append(states, b.texts())
			done := b.compact(compact.Request{}).Clusters
			for i, c := range done {
				if c.State != "compacted" {
					t.Fatalf("%+v", c)
				}
				writes = append(writes, c.Write)
				if compactions++; i == 0 {
					age(c.Summary)
				}
			}
			now := b.texts()
			for ref, text := range states[0] {
				if first := strings.Index(text, "Sentence"); !strings.Contains(now[ref], text[first:first+60]) {
					t.Errorf("%s lost its text:\n%s", ref, now[ref])
				}
			}
			for _, p := range apptest.OK(retrieve.Pages(t.Context(), b.app, retrieve.ListRequest{Within: retrieve.Within{Statuses: []string{"compacted"}}}))(t).Items {
				into := strings.Fields(b.into(p.Ref))
				into = slices.DeleteFunc(into, func(ref string) bool { return strings.HasPrefix(ref, "k:page") }) // as the text had it
				if len(into) != 1 || apptest.OK(read.Get(t.Context(), b.app, read.GetRequest{Ref: into[0]}))(t).Status == kb.Compacted {
					t.Errorf("%s leads to %v", p.Ref, into)
				}
			}
			for i, p := range apptest.OK(retrieve.Pages(t.Context(), b.app, retrieve.ListRequest{Within: retrieve.Within{Statuses: []string{"active"}}}))(t).Items {
				if i < 2 {
					age(p.Ref)
				}
			}
		}
		if compactions < 3 {
			t.Fatalf("only %d compactions", compactions)
		}
		for _, w := range slices.Backward(writes) {
			apptest.OK(change.Undo(t.Context(), b.app, history.UndoRequest{Write: w}))(t)
		}
		if diff := cmp.Diff(states[0], b.texts()); diff != "" {
			t.Errorf("after undoing all: %s", diff)
		}
	})
}
