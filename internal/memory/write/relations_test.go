package write_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
)

// A relation holds once at a time, and not before it begins: whoever writes that,
// and however the page at the other end is spelled.
func TestRelationsOverlapInNoWrite(t *testing.T) {
	t.Parallel()
	const ada = "# Ada\n\n- works_at [[Brex]] @2017-01-03..2026-03\n- works_at [[Brex]]\n- knows [[Bob]] @2018..\n"
	over := func(text string) write.Action { return write.Put{Bytes: []byte(text), Overwrite: true} }
	steps := func(edits ...doc.Edit) write.Action { return write.Edit{Edits: edits} }
	relate := func(target, from, until string) write.Action {
		return steps(doc.AddRelation{Type: "works_at", Target: target, From: from, Until: until})
	}
	for name, tc := range map[string]struct {
		path  string // "" is a.md
		text  string // of the page before; "" is ada
		do    write.Action
		code  kb.Code
		lines string // that the message names
		verb  string
	}{
		"inside a closed one":       {do: relate("Brex", "2020", "2021"), code: kb.Invalid, lines: "line 3 (@2017-01-03..2026-03) and line 9 (@2020..2021)"},
		"by an alias":               {do: relate("Brex Inc", "2020", "2021"), code: kb.Invalid},
		"by its path":               {do: relate("companies/brex", "2020", "2021"), code: kb.Invalid},
		"adjacent":                  {do: relate("Brex", "2016", "2017-01")},
		"another page":              {do: relate("Bob", "2020", "2021")},
		"an open one beside one":    {do: relate("Brex", "2027", ""), code: kb.Invalid, lines: "line 4 (no dates)"},
		"the same without dates":    {do: relate("Brex Inc", "", ""), code: kb.Invalid, lines: "line 4 (no dates)"},
		"the same, spelled so":      {do: relate("Brex", "", ""), code: kb.Conflict},
		"closed too early":          {do: steps(doc.CloseRelation{Type: "knows", Target: "Bob", Until: "2017"}), code: kb.Invalid},
		"closed":                    {do: steps(doc.CloseRelation{Type: "knows", Target: "Bob", Until: "2019"})},
		"closed into another":       {do: steps(doc.CloseRelation{Type: "works_at", Target: "Brex", Until: "2020"}), code: kb.Invalid, lines: "line 3"},
		"text that says so":         {do: steps(doc.Append{Text: "- knows [[Bob]] @2019..2020"}), code: kb.Invalid, lines: "line 5 (@2018..) and line"},
		"put":                       {path: "new.md", do: over("# New\n\n- works_at [[Brex]] @2017..2020\n- works_at [[Brex Inc]] @2018..2022\n"), code: kb.Invalid, lines: "line 3 (@2017..2020) and line 4 (@2018..2022)"},
		"put, reversed":             {path: "new.md", do: over("# New\n\n- works_at [[Brex]] @2030..2022\n"), code: kb.Invalid, lines: "line 3"},
		"put, nowhere yet":          {path: "new.md", do: over("# New\n\n- works_at [[Later]] @2017..\n- works_at [[later]] @2018..2022\n"), code: kb.Invalid},
		"put, repeated, no dates":   {path: "new.md", do: over("# New\n\n- needs [[Brex]] (for the dough)\n- needs [[Brex]] (for the top)\n")},
		"put, one after the other":  {path: "new.md", do: over("# New\n\n- works_at [[Brex]] @2017..2020\n- works_at [[Brex]] @2020-05..\n")},
		"what it was, by a restore": {path: "new.md", verb: "restore", do: over("# New\n\n- a [[Brex]] @2017..\n- a [[Brex]] @2018..\n")},
		"wrong before, elsewhere": {
			text: "# Ada\n\nText.\n\n- a [[Brex]] @2017..\n- a [[Brex]] @2018..\n- b [[Bob]] @2030..2022\n",
			do:   steps(doc.Replace{Old: "Text", New: "More\n\nof it"}),
		},
		"wrong before, and more so": {
			text: "# Ada\n\n- a [[Brex]] @2017..\n- a [[Brex]] @2018..\n- b [[Bob]] @2030..2022\n",
			do:   steps(doc.Append{Text: "- a [[Brex]] @2018.."}), code: kb.Invalid,
		},
		"one of two alike, closed": {
			text: "# Ada\n\n- a [[Brex]] @2017..\n- a [[Brex]] @2017..\n",
			do:   steps(doc.CloseRelation{Type: "a", Target: "Brex", Until: "2019", Line: 4}),
		},
		"wrong before, and then elsewhere": {
			text: "# Ada\n\n- a [[Brex]] @2017..\n- a [[Brex]] @2018..\n- a [[Bob]] @2016..\n",
			do:   steps(doc.Append{Text: "- a [[Bob]] @2020.."}), code: kb.Invalid, lines: "line 5 (@2016..) and line 6 (@2020..)",
		},
		"a page that moves": {path: "companies/brex.md", do: write.Move{To: "firms/brex-2.md"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := writetest.New(t)
			files := m.Files(nil)
			s := m.Space("notes", files)
			text := ada
			if tc.text != "" {
				text = tc.text
			}
			// What is wrong before comes from outside.
			first := request(put(s, "bob.md", "# Bob\n"), put(s, "companies/brex.md", "---\ntitle: Brex\naliases: [Brex Inc]\n---\n"), put(s, "a.md", text))
			first.Operation = "restore"
			m.Apply(first)
			path := "a.md"
			if tc.path != "" {
				path = tc.path
			}
			before := m.Pages(s)
			req := request(write.Change{Space: s, Path: path, Action: tc.do})
			if tc.verb != "" {
				req.Operation = tc.verb
			}
			for _, dry := range []bool{true, false} {
				req.DryRun = dry
				_, err := m.Writer.Apply(t.Context(), req)
				if kb.CodeOf(err) != tc.code {
					t.Fatalf("dry run %v: %v, want %q", dry, err, tc.code)
				}
				if err != nil && !strings.Contains(err.Error(), tc.lines) {
					t.Errorf("%v does not name %s", err, tc.lines)
				}
			}
			if diff := cmp.Diff(before, m.Pages(s)); tc.code != "" && diff != "" {
				t.Errorf("it was written all the same (-was +is):\n%s", diff)
			}
		})
	}
}
