package link

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Targets leads every link where Resolve does.
func TestTargetsAgainstDefinition(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	spellings := []string{"same", "Same", "SAME", "sa me", "sa-me", "same.md", "caf\u00e9", "cafe\u0301", "Café", "x", "?", "***", " same ", "202104011200", "202104011200 same"}
	dirs := []string{"", "a", "a/b", "a/b/c", "b", "b/a", "A", "a b", "caf\u00e9"}
	pick := func(list []string) string { return list[rnd.IntN(len(list))] }
	for round := range 400 {
		var pages []Page
		for i := range 1 + rnd.IntN(40) {
			p := Page{Row: int64(i + 1), ID: kb.ID(fmt.Sprintf("00000000-0000-4000-8000-%012d", rnd.IntN(30))), Title: pick(spellings)}
			p.Path = strings.TrimPrefix(pick(dirs)+"/"+strings.TrimSpace(pick(spellings))+pick([]string{".md", ".md", ".org"}), "/")
			if rnd.IntN(5) == 0 {
				p.Node = "n"
			}
			for range rnd.IntN(3) {
				p.Aliases = append(p.Aliases, pick(spellings))
			}
			if rnd.IntN(4) == 0 {
				p.Refs = []string{"id:" + pick(spellings)}
			}
			p.Keys = Names(p)
			pages = append(pages, p)
		}
		targets := NewTargets(pages)
		for range 60 {
			ref := Ref{Kind: pick([]string{"wikilink", RelationKind, "markdown", "org-file"}), FromPath: strings.TrimPrefix(pick(dirs)+"/from.md", "/"), Name: pick(spellings)}
			ref.Rules = []Rules{{}, {Vault: true}, {Vault: true, Relative: true}, {Named: true}}[rnd.IntN(4)]
			switch rnd.IntN(7) {
			case 4:
				ref.Name = pick(dirs) + "/" + ref.Name + ".md"
			case 0:
				ref.Name = pick(dirs) + "/" + ref.Name
			case 1:
				ref.Name = "../" + ref.Name
			case 2:
				ref.Name = string(pages[rnd.IntN(len(pages))].ID)
			case 3:
				ref.Name = "/" + pick(dirs) + "/" + ref.Name + ".md"
			}
			rows := Resolve(ref, pages)
			want := int64(0)
			if len(rows) == 1 {
				want = rows[0]
			}
			if row, n := targets.Lead(ref); row != want || n != len(rows) {
				t.Fatalf("round %d: %+v leads to %d of %d, and Resolve says %v\n%+v", round, ref, row, n, rows, pages)
			}
		}
	}
}

// Twice the pages of one name, each with a link to that name, are about twice
// the work.
func TestPagesOfOneNameAreNotQuadratic(t *testing.T) {
	t.Parallel()
	work := func(n int, name string) int {
		var pages []Page
		for i := range n {
			pages = append(pages, Page{Row: int64(i + 1), Path: fmt.Sprintf("d%d/e/same.md", i), Title: "Same", Aliases: []string{"again"}})
		}
		targets := NewTargets(pages)
		for i := range n {
			targets.Lead(Ref{Kind: "wikilink", Name: name, FromPath: fmt.Sprintf("d%d/e/same.md", i)})
			targets.Lead(Ref{Kind: "markdown", Name: "same.md", FromPath: fmt.Sprintf("d%d/e/same.md", i)})
			targets.Lead(Ref{Kind: "wikilink", Name: name, FromPath: fmt.Sprintf("d%d/e/same.md", i), Rules: Rules{Vault: true}})
		}
		return targets.steps
	}
	for _, name := range []string{"same", "Same", "SAME", "e/same", "../e/same", "again"} {
		if one, two := work(1000, name), work(2000, name); two > 3*one {
			t.Errorf("[[%s]]: %d steps for 1,000 pages and %d for 2,000", name, one, two)
		}
	}
}
