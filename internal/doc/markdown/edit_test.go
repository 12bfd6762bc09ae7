package markdown_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/kb"
)

// TestEdit shows the exact bytes that edits leave.
func TestEdit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, source string
		edit         doc.Edit
		want         string
	}{
		// Scalars.
		{"comment stays", "---\na: b # why\nc: d\n---\n", doc.SetProperty{Key: "a", Value: "x"}, "---\na: x # why\nc: d\n---\n"},
		{"double quotes stay", "---\na: \"b\" # why\n---\n", doc.SetProperty{Key: "a", Value: "x\"y"}, "---\na: \"x\\\"y\" # why\n---\n"},
		{"single quotes stay", "---\na: 'b'\n---\n", doc.SetProperty{Key: "a", Value: "it's"}, "---\na: 'it''s'\n---\n"},
		{"blanks stay", "---\na:   b  \n---\n", doc.SetProperty{Key: "a", Value: "x"}, "---\na:   x  \n---\n"},
		{"empty value", "---\na:\nb: c\n---\n", doc.SetProperty{Key: "a", Value: "x"}, "---\na: x\nb: c\n---\n"},
		{"empty value with comment", "---\na: # why\nb: c\n---\n", doc.SetProperty{Key: "a", Value: "x"}, "---\na: x # why\nb: c\n---\n"},
		{"block scalar", "---\na: |\n  b\n  # c\n\n# d\ne: f\n---\n", doc.SetProperty{Key: "a", Value: "x"}, "---\na: x\n\n# d\ne: f\n---\n"},
		{"comment under a block scalar", "---\na: >-\n    b\n    # c\n\n  # d\n# e\nf: g\n---\n", doc.SetProperty{Key: "a", Value: "x"}, "---\na: x\n\n  # d\n# e\nf: g\n---\n"},
		{"empty block scalar", "---\na: |\n# d\nf: g\n---\n", doc.SetProperty{Key: "a", Value: "x"}, "---\na: x\n# d\nf: g\n---\n"},
		{"comment under many lines", "---\na: b\n  c # d\n  # e\nf: g\n---\n", doc.SetProperty{Key: "a", Value: "x"}, "---\na: x # d\n  # e\nf: g\n---\n"},
		{"many lines", "---\na: b\n  c\ne: f\n---\n", doc.SetProperty{Key: "a", Value: "x"}, "---\na: x\ne: f\n---\n"},
		{"over a list", "---\na:\n  - b\n  - c\ne: f\n---\n", doc.SetProperty{Key: "a", Value: "x"}, "---\na: x\ne: f\n---\n"},
		{"over a map", "---\na: {b: c} # d\ne: f\n---\n", doc.SetProperty{Key: "a", Value: "x"}, "---\na: x # d\ne: f\n---\n"},
		{"last of two", "---\na: 1\na: 2\n---\n", doc.SetProperty{Key: "a", Value: "x"}, "---\na: 1\na: x\n---\n"},
		{"quoted key", "---\n\"a b\" : c\n---\n", doc.SetProperty{Key: "a b", Value: "x"}, "---\n\"a b\" : x\n---\n"},
		{"CRLF", "---\r\na: b\r\n---\r\n", doc.SetProperty{Key: "c", Value: "d"}, "---\r\na: b\r\nc: d\r\n---\r\n"},
		{"indented map", "---\n  a: b\n---\n", doc.SetProperty{Key: "c", Value: "d"}, "---\n  a: b\n  c: d\n---\n"},
		{"below a last line of metadata", "---\na: b\n---", doc.Append{Text: "x"}, "---\na: b\n---\n\nx"},
		{"below one, CRLF", "---\r\na: b\r\n---", doc.Prepend{Text: "x"}, "---\r\na: b\r\n---\r\n\r\nx"},
		{"entry below one", "---\na: b\n---", doc.AddEntry{Date: "2024", Text: "x"}, "---\na: b\n---\n\n---\n\n## Timeline\n\n- **2024** — x"},
		{"closed by dots", "---\na: b\n...\nx", doc.SetProperty{Key: "c", Value: "d"}, "---\na: b\nc: d\n...\nx"},
		{"empty frontmatter", "---\n---\nx", doc.SetProperty{Key: "c", Value: "d"}, "---\nc: d\n---\nx"},
		{"no frontmatter", "x\n", doc.SetProperty{Key: "c", Value: "d"}, "---\nc: d\n---\n\nx\n"},
		{"no frontmatter, blank line", "\nx\n", doc.SetProperty{Key: "c", Value: "d"}, "---\nc: d\n---\n\nx\n"},
		{"empty file", "", doc.SetProperty{Key: "c", Value: "d"}, "---\nc: d\n---\n"},
		{"byte order mark", "\ufeffx\n", doc.SetProperty{Key: "c", Value: "d"}, "\ufeff---\nc: d\n---\n\nx\n"},

		// What must be quoted to read back.
		{"boolean word", "", doc.SetProperty{Key: "c", Value: "true"}, "---\nc: \"true\"\n---\n"},
		{"boolean", "", doc.SetProperty{Key: "c", Value: "True"}, "---\nc: true\n---\n"},
		{"old boolean word", "", doc.SetProperty{Key: "c", Value: "yes"}, "---\nc: \"yes\"\n---\n"},
		{"leading zero", "", doc.SetProperty{Key: "c", Value: "0123"}, "---\nc: \"0123\"\n---\n"},
		{"number", "", doc.SetProperty{Key: "c", Value: "123"}, "---\nc: 123\n---\n"},
		{"date", "", doc.SetProperty{Key: "c", Value: "2026-03-01"}, "---\nc: 2026-03-01\n---\n"},
		{"colon", "", doc.SetProperty{Key: "c", Value: "a: b"}, "---\nc: \"a: b\"\n---\n"},
		{"URL", "", doc.SetProperty{Key: "c", Value: "https://x.com/a#b"}, "---\nc: https://x.com/a#b\n---\n"},
		{"hash", "", doc.SetProperty{Key: "c", Value: "a #b"}, "---\nc: \"a #b\"\n---\n"},
		{"empty", "", doc.SetProperty{Key: "c", Value: ""}, "---\nc: \"\"\n---\n"},
		{"blanks", "", doc.SetProperty{Key: "c", Value: " a "}, "---\nc: \" a \"\n---\n"},
		{"lines", "", doc.SetProperty{Key: "c", Value: "a\n---\nb\t\x01"}, "---\nc: \"a\\n---\\nb\\t\\u0001\"\n---\n"},
		{"wikilink", "", doc.SetProperty{Key: "c", Value: "[[a]]"}, "---\nc: \"[[a]]\"\n---\n"},
		{"null word", "", doc.SetProperty{Key: "c", Value: "null"}, "---\nc: \"null\"\n---\n"},

		// Lists and tags.
		{"new list", "---\na: b\n---\n", doc.SetList{Key: "c", Values: []string{"d", "e: f"}}, "---\na: b\nc:\n  - d\n  - \"e: f\"\n---\n"},
		{"flow list", "---\na: [b, c] # d\n---\n", doc.SetList{Key: "a", Values: []string{"x", "y, z"}}, "---\na: [x, \"y, z\"] # d\n---\n"},
		{"block list", "---\na: # why\n    - b\n    - c\nd: e\n---\n", doc.SetList{Key: "a", Values: []string{"x"}}, "---\na: # why\n    - x\nd: e\n---\n"},
		{"list over scalar", "---\na: b # c\n---\n", doc.SetList{Key: "a", Values: []string{"x", "z"}}, "---\na: [x, z] # c\n---\n"},
		{"empty list", "---\na:\n- b\n---\n", doc.SetList{Key: "a"}, "---\na: []\n---\n"},
		{"remove", "---\na: b\n# c\nd:\n  - e\n\nf: g\n---\n", doc.RemoveProperty{Key: "d"}, "---\na: b\n# c\n\nf: g\n---\n"},
		{"remove twice", "---\na: b\nc: d\na: e\n---\n", doc.RemoveProperty{Key: "a"}, "---\nc: d\n---\n"},
		{"tag to block", "---\ntags:\n- a # x\n# y\nb: c\n---\n", doc.AddTag{Tag: "#new"}, "---\ntags:\n- a # x\n- new\n# y\nb: c\n---\n"},
		{"tag to a list with a colon", "---\ntags:\n  - a\n  - b: c\n---\n", doc.AddTag{Tag: "new"}, "---\ntags:\n  - a\n  - b: c\n  - new\n---\n"},
		{"tag with a colon removed", "---\ntags:\n  - a\n  - b: c\n---\n", doc.RemoveTag{Tag: "b: c"}, "---\ntags:\n  - a\n---\n"},
		{"tag renamed next to a colon", "---\ntags: [a, b: c]\n---\n", doc.RenameTag{Old: "a", New: "x"}, "---\ntags: [x, b: c]\n---\n"},
		{"tag to flow", "---\ntags: [a, 'b' ] # x\n---\n", doc.AddTag{Tag: "new"}, "---\ntags: [a, 'b', new ] # x\n---\n"},
		{"tag to flow of lines", "---\ntags: [a,\n  b\n]\n---\n", doc.AddTag{Tag: "new"}, "---\ntags: [a,\n  b, new\n]\n---\n"},
		{"tag to empty flow", "---\ntags: []\n---\n", doc.AddTag{Tag: "new"}, "---\ntags: [new]\n---\n"},
		{"tag to nothing", "---\ntags:\n---\n", doc.AddTag{Tag: "new"}, "---\ntags: [new]\n---\n"},
		{"tag to commas", "---\ntags: a, b # x\n---\n", doc.AddTag{Tag: "new"}, "---\ntags: a, b, new # x\n---\n"},
		{"tag to blanks", "---\ntags: \"a b\"\n---\n", doc.AddTag{Tag: "new"}, "---\ntags: \"a b new\"\n---\n"},
		{"tag to one", "---\ntags: a\n---\n", doc.AddTag{Tag: "n o"}, "---\ntags: [a, n o]\n---\n"},
		{"tag to none", "x", doc.AddTag{Tag: "new"}, "---\ntags:\n  - new\n---\n\nx"},
		{"tag there", "---\ntags: [ '#new' ]\n---\n", doc.AddTag{Tag: "new"}, "---\ntags: [ '#new' ]\n---\n"},
		{"untag block", "---\ntags:\n  - a\n  - '#b' # x\n  - c\n---\n", doc.RemoveTag{Tag: "b"}, "---\ntags:\n  - a\n  - c\n---\n"},
		{"untag flow", "---\ntags: [a, \"b, c\", d]\n---\n", doc.RemoveTag{Tag: "b, c"}, "---\ntags: [a, d]\n---\n"},
		{"untag last", "---\ntags: [a, b]\n---\n", doc.RemoveTag{Tag: "b"}, "---\ntags: [a]\n---\n"},
		{"untag only", "---\ntags: [a]\n---\n", doc.RemoveTag{Tag: "a"}, "---\ntags: []\n---\n"},
		{"untag both keys", "---\ntags: [a, b]\ntag: a\n---\n", doc.RemoveTag{Tag: "a"}, "---\ntags: [b]\ntag: []\n---\n"},
		{"untag commas", "---\ntags: a, b, c\n---\n", doc.RemoveTag{Tag: "b"}, "---\ntags: a, c\n---\n"},

		{"rename keeps marks and comments", "---\ntags:\n  - \"old\"   # why\n  - '#old/x'\n  - z\n---\n", doc.RenameTag{Old: "old", New: "new"}, "---\ntags:\n  - \"new\"   # why\n  - '#new/x'\n  - z\n---\n"},
		{"rename to one below", "---\ntags:\n  - old # c\n  - new # d\n  - old\n---\n", doc.RenameTag{Old: "old", New: "new"}, "---\ntags:\n  - new # d\n---\n"},
		{"rename to one above", "---\ntags:\n  - new # d\n  - old # c\n---\n", doc.RenameTag{Old: "old", New: "new"}, "---\ntags:\n  - new # d\n---\n"},
		{"rename in lines of brackets", "---\ntags: [old,\n  new, # c\n  z]\n---\n", doc.RenameTag{Old: "old", New: "new"}, "---\ntags: [new, # c\n  z]\n---\n"},
		{"rename behind a comment", "---\ntags: [a, # it's, b]\n  'old', z]\n---\n", doc.RenameTag{Old: "old", New: "new"}, "---\ntags: [a, # it's, b]\n  'new', z]\n---\n"},
		{"rename the last", "---\ntags: [new, # c\n  z, old]\n---\n", doc.RenameTag{Old: "old", New: "new"}, "---\ntags: [new, # c\n  z]\n---\n"},
		{"rename the last behind a comment", "---\ntags: [new, # c\n  old]\n---\n", doc.RenameTag{Old: "old", New: "new"}, "---\ntags: [new # c\n  ]\n---\n"},
		{"rename in TOML", "+++\ntags = ['old', # c\n  \"new\", 'old/x']\n+++\n", doc.RenameTag{Old: "old", New: "new"}, "+++\ntags = [\"new\", 'new/x']\n+++\n"},
		{"untag two of lines", "---\ntags: [a, # c\n  b, b,\n  d]\n---\n", doc.RemoveTag{Tag: "b"}, "---\ntags: [a, # c\n  d]\n---\n"},

		// Title.
		{"title and heading", "---\ntitle: Old # x\n---\n# Old #\n\n# Old\n", doc.SetTitle{Title: "New"}, "---\ntitle: New # x\n---\n# New #\n\n# Old\n"},
		{"title and other heading", "---\ntitle: Old\n---\n# Other\n", doc.SetTitle{Title: "New"}, "---\ntitle: New\n---\n# Other\n"},
		{"title of the file", "x\n=\n", doc.SetTitle{Title: "New"}, "---\ntitle: New\n---\n\nNew\n=\n"},

		// Facts.
		{"relation, no section", "a\n", doc.AddRelation{Type: "is", Target: "B"}, "a\n\n## Relations\n\n- is [[B]]\n"},
		{"relation, section", "## relations\n\n- is [[A]]\n\n## More\n", doc.AddRelation{Type: "is", Target: "B", From: "2020"}, "## relations\n\n- is [[A]]\n- is [[B]] @2020..\n\n## More\n"},
		{"relation, subsection", "## Relations\n\n### Sub\n\ntext\n", doc.AddRelation{Type: "is", Target: "B"}, "## Relations\n\n- is [[B]]\n\n### Sub\n\ntext\n"},
		{"relation, line", "a\n\n---\n\n- 2024: x\n\n## Relations\n", doc.AddRelation{Type: "is", Target: "B", Context: "c"}, "a\n\n## Relations\n\n- is [[B]] (c)\n\n---\n\n- 2024: x\n\n## Relations\n"},
		{"relation, no newline", "## Relations\n- is [[A]]", doc.AddRelation{Type: "is", Target: "B"}, "## Relations\n- is [[A]]\n- is [[B]]"},
		{"close", "- is [[A]] (c)\n", doc.CloseRelation{Target: "a", Until: "2021-02"}, "- is [[A]] @..2021-02 (c)\n"},
		{"close dated", "- is [[A]]  @2020..(c)\n", doc.CloseRelation{Target: "A", Until: "2021"}, "- is [[A]]  @2020..2021(c)\n"},
		{"close sourced", "- is [[A]] [Source: X/@a]\n", doc.CloseRelation{Target: "A", Until: "2021"}, "- is [[A]] @..2021 [Source: X/@a]\n"},
		{"close dated sourced", "- is [[A]] @2020[Source: X/@a]\n", doc.CloseRelation{Target: "A", Until: "2021"}, "- is [[A]] @2020..2021[Source: X/@a]\n"},
		{"close dated open", "- is [[A]] @2020 (c)\n- was [[A]] @2019..2020\n", doc.CloseRelation{Target: "A", Until: "2021"}, "- is [[A]] @2020..2021 (c)\n- was [[A]] @2019..2020\n"},
		{"interval of a line", "- is [[A]] @2020..2021\n- is [[A]] @2020..2021 (c)\n", doc.SetInterval{Target: "A", Line: 2, Was: kb.Interval{From: "2020", Until: "2021"}, Is: kb.Interval{From: "2021-03"}}, "- is [[A]] @2020..2021\n- is [[A]] @2021-03.. (c)\n"},
		{"remove relation of a line", "- is [[A]]\n- is [[A]] @2020..\n", doc.RemoveRelation{Target: "A", Line: 2}, "- is [[A]]\n"},
		{"remove relation", "- is [[A]]\n- was [[A]]\n- is [[B]]\n", doc.RemoveRelation{Target: "A"}, "- is [[B]]\n"},
		{"observation", "a", doc.AddObservation{Category: "c", Text: "t", Tags: []string{"#x"}, Context: "y"}, "a\n\n## Observations\n\n- [c] t #x (y)"},
		{"observation with parts in its text", "## Observations\n", doc.AddObservation{Category: "c", Text: "t #x (y)"}, "## Observations\n\n- [c] t #x (y)\n"},
		{"remove observation", "- [c] t #x (y)\n- [c] u\n", doc.RemoveObservation{Category: "c", Text: "t"}, "- [c] u\n"},

		// The timeline.
		{"first entry", "a\n", doc.AddEntry{Date: "2024-01-02", Source: "s", Text: "t", Detail: "d\n\ne"}, "a\n\n---\n\n## Timeline\n\n- **2024-01-02** | s — t\n  d\n\n  e\n"},
		{"entry of an empty file", "", doc.AddEntry{Date: "2024", Text: "t"}, "\n---\n\n## Timeline\n\n- **2024** — t\n"},
		{"entry under a paragraph", "a", doc.AddEntry{Date: "2024", Text: "t"}, "a\n\n---\n\n## Timeline\n\n- **2024** — t"},
		{"newest", "a\n\n---\n\n## Timeline\n\n* **2023** — x\n", doc.AddEntry{Date: "2024", Text: "t"}, "a\n\n---\n\n## Timeline\n\n* **2024** — t\n* **2023** — x\n"},
		{"between", "a\n\n---\n- 2024: x\n  more\n- 2022: y\n", doc.AddEntry{Date: "2023", Text: "t"}, "a\n\n---\n- 2024: x\n  more\n- **2023** — t\n- 2022: y\n"},
		{"oldest", "a\n\n---\n- 2024: x\n\n\n## End\n", doc.AddEntry{Date: "2023", Text: "t"}, "a\n\n---\n- 2024: x\n- **2023** — t\n\n\n## End\n"},
		{"heading entries", "a\n\n---\n\n### 2024-01-01 | s — x\n\nmore\n", doc.AddEntry{Date: "2024-01-02", Source: "s", Text: "t", Detail: "d"}, "a\n\n---\n\n### 2024-01-02 | s — t\n\nd\n\n### 2024-01-01 | s — x\n\nmore\n"},
		{"empty timeline", "a\n\n---", doc.AddEntry{Date: "2024", Text: "t"}, "a\n\n---\n\n## Timeline\n\n- **2024** — t"},

		// Text.
		{"append", "a\n\n\n", doc.Append{Text: "b\n"}, "a\n\nb\n\n\n"},
		{"append above the line", "a\n\n---\n- 2024: b\n", doc.Append{Text: "c"}, "a\n\nc\n\n---\n- 2024: b\n"},
		{"append below a rule", "a\n\n---\n\n## B\n\nb\n", doc.Append{Text: "c"}, "a\n\n---\n\n## B\n\nb\n\nc\n"},
		{"row", "| a | b |\n|---|---|\n| 1 | 2 |\n", doc.Append{Text: "| 3 | 4 |"}, "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"},
		{"rows in a section", "## A\n\n| a |\n|---|\n| 1 |\n\n## B\n", doc.Append{Section: "A", Text: "| 2 |\n| 3 |\n"}, "## A\n\n| a |\n|---|\n| 1 |\n| 2 |\n| 3 |\n\n## B\n"},
		{"another table", "| a |\n|---|\n| 1 |\n", doc.Append{Text: "| x |\n| - |\n| 2 |"}, "| a |\n|---|\n| 1 |\n\n| x |\n| - |\n| 2 |\n"},
		{"row of a table with an id", "| a |\n|---|\n| 1 |\n\n^t\n", doc.Append{Text: "| 2 |"}, "| a |\n|---|\n| 1 |\n| 2 |\n\n^t\n"},
		{"row of the block with an id", "| a |\n|---|\n| 1 |\n\n^t\n\nmore\n", doc.Append{Section: "^t", Text: "| 2 |"}, "| a |\n|---|\n| 1 |\n| 2 |\n\n^t\n\nmore\n"},
		{"quotation", "> a\n", doc.Append{Text: "> b"}, "> a\n> b\n"},
		{"callout", "> [!note] A\n> a", doc.Append{Text: "> b"}, "> [!note] A\n> a\n> b"},
		{"another callout", "> [!note] A\n> a\n", doc.Append{Text: "> [!tip] B"}, "> [!note] A\n> a\n\n> [!tip] B\n"},
		{"quotation with an id", "> a\n\n^q\n", doc.Append{Text: "> b"}, "> a\n> b\n\n^q\n"},
		{"text after an id", "> a\n\n^q\n", doc.Append{Text: "b"}, "> a\n\n^q\n\nb\n"},
		{"text after an id in the line", "a ^q\n", doc.Append{Section: "^q", Text: "b"}, "a ^q\n\nb\n"},
		{"quotation of another list", "- > a\n", doc.Append{Text: "> b"}, "- > a\n\n> b\n"},
		{"section as it is written", "## A [[x]] `c`\n\na\n", doc.Append{Section: "## A [[x]] `c`", Text: "b"}, "## A [[x]] `c`\n\na\n\nb\n"},
		{"section with closing signs", "## A ##\n\na\n", doc.Append{Section: "## A ##", Text: "b"}, "## A ##\n\na\n\nb\n"},
		{"section with its heading as written", "## A [[x]]\n\na\n", doc.ReplaceSection{Section: "A x", Text: "## A [[x]]\n\nb"}, "## A [[x]]\n\nb\n"},
		{"section path as written", "# O [[x]]\n\n## I\n\na\n\n# P\n\n## I\n", doc.Append{Section: "O [[x]] > I", Text: "b"}, "# O [[x]]\n\n## I\n\na\n\nb\n\n# P\n\n## I\n"},
		{"append list", "- a\n", doc.Append{Text: "- b"}, "- a\n- b\n"},
		{"append to section", "# A\na\n# B\n", doc.Append{Section: "A", Text: "c"}, "# A\na\n\nc\n\n# B\n"},
		{"append to empty section", "# A\n\n# B\n", doc.Append{Section: "A", Text: "c"}, "# A\n\nc\n\n# B\n"},
		{"append to last section", "# A", doc.Append{Section: "A", Text: "c"}, "# A\n\nc"},
		{"prepend", "---\na: b\n---\n\nx\n", doc.Prepend{Text: "y"}, "---\na: b\n---\n\ny\n\nx\n"},
		{"prepend to section", "# A\n\nx\n", doc.Prepend{Section: "# A", Text: "y"}, "# A\n\ny\n\nx\n"},
		{"replace section", "# A\n\nx\n\n## B\n\ny\n\n# C\n", doc.ReplaceSection{Section: "A", Text: "z"}, "# A\n\nz\n\n# C\n"},
		{"empty section", "# A\n\nx\n\n# C\n", doc.ReplaceSection{Section: "A"}, "# A\n\n\n# C\n"},
		{"section by path", "# A\n## N\na\n# B\n## N\nb\n", doc.ReplaceSection{Section: "B > N", Text: "c"}, "# A\n## N\na\n# B\n## N\nc\n"},
		{"before", "# A\nx\n# B\n", doc.InsertBefore{Section: "B", Text: "y"}, "# A\nx\n\ny\n\n# B\n"},
		{"after", "# A\nx\n\n# B\n", doc.InsertAfter{Section: "A", Text: "# Y"}, "# A\nx\n\n# Y\n\n# B\n"},
		{"replace", "a b a", doc.Replace{Old: "a", New: "c", Expect: 2}, "c b c"},
		{"replace lines", "a\r\nb\r\n", doc.Replace{Old: "a\nb", New: "c\nd"}, "c\r\nd\r\n"},
		{"truth", "---\na: b\n---\n\nold\n\n---\n- 2024: x\n", doc.SetTruth{Text: "new\n"}, "---\na: b\n---\n\nnew\n\n---\n- 2024: x\n"},
		{"no truth", "---\na: b\n---\nold\n\n---\n- 2024: x\n", doc.SetTruth{}, "---\na: b\n---\n\n---\n- 2024: x\n"},
		{"CRLF text", "a\r\n", doc.Append{Text: "b\nc"}, "a\r\n\r\nb\r\nc\r\n"},
	} {
		codec := markdown.Codec{}
		got, err := codec.Apply(codec.Parse("x.md", []byte(c.source)), "", c.edit)
		if err != nil || string(got) != c.want {
			t.Errorf("%s:\ngot  %q, %v\nwant %q", c.name, got, err, c.want)
		}
	}
}

// TestRefusedEdit shows edits that would damage the page in a way that the
// new text only shows when it is read again.
func TestRefusedEdit(t *testing.T) {
	t.Parallel()
	page := "# A\n\nx\n\n---\n\n- 2024-01-01: y [[z]]\n"
	for _, c := range []struct {
		name, source string
		edit         doc.Edit
	}{
		{"open fence", page, doc.Append{Text: "```\ncode"}},
		{"open comment", page, doc.Append{Text: "<!-- "}},
		{"open fence in a section", "# A\n\n# B\n", doc.Append{Section: "A", Text: "~~~"}},
		{"a second line", page, doc.SetTruth{Text: "a\n\n---\n\n- 2024: b"}},
		{"a heading that a neighbour has", "## A\na\n## B\nb\n## C\n", doc.ReplaceSection{Section: "A", Text: "x\n\n## b\n\ny"}},
		{"a subsection that is kept", "## A\na\n### S\n", doc.ReplaceSection{Section: "A", Text: "x\n\n### S\n\ny", KeepSubsections: true}},
		{"a line of its own", "# A\n", doc.Append{Text: "a\n\n---\n\n- 2024: b"}},
		{"a rule first", "a\n", doc.Append{Text: "---\n\n## Two\nx"}},
		{"a frontmatter", "x\n", doc.Prepend{Text: "---\na: b\n---\n"}},
		{"an anchor goes", "---\na: &x [1]\nb: *x\n---\n", doc.SetProperty{Key: "a", Value: "v"}},
		{"an anchor is removed", "---\na: &x [1]\nb: *x\n---\n", doc.RemoveProperty{Key: "a"}},
		{"flow map", "---\n{a: b}\n---\n", doc.SetProperty{Key: "a", Value: "v"}},
		{"explicit key", "---\n? a\n: b\n---\n", doc.SetProperty{Key: "a", Value: "v"}},
		{"end in a fence", "```\ncode\n", doc.AddEntry{Date: "2024", Text: "t"}},
		{"end in a fence, fact", "```\ncode\n", doc.AddObservation{Category: "a", Text: "t"}},
		{"dash in source", "x\n", doc.AddEntry{Date: "2024", Source: "a — b", Text: "t"}},
		{"bracket in category", "x\n", doc.AddObservation{Category: "a]", Text: "t"}},
		{"target with brackets", "x\n", doc.AddRelation{Type: "is", Target: "a]] b"}},
		{"map of tags", "---\ntags: {a: [b]}\n---\n", doc.AddTag{Tag: "c"}},
		{"Latin-1 lacks it", "caf\xe9", doc.Append{Text: "雪"}},
	} {
		codec := markdown.Codec{}
		if got, err := codec.Apply(codec.Parse("x.md", []byte(c.source)), "", c.edit); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%s: %v\n%s", c.name, err, got)
		}
	}
}

func TestRetarget(t *testing.T) {
	t.Parallel()
	source := "---\nup: \"[[Old]]\"\n---\n[[Old#h|a]] [x](old.md#h) [y](<old.md>) [z][r] [r]\n\n- is [[Old]] @2020..\n\n[r]: old.md\n"
	codec := markdown.Codec{}
	d := codec.Parse("x.md", []byte(source))
	var links []doc.RetargetOne
	add := func(at doc.Target) {
		raw := "New"
		if at.Kind == doc.MarkLink {
			raw = "new.md"
		}
		links = append(links, doc.RetargetOne{At: at.NameAt, Raw: raw})
	}
	for _, l := range d.Nodes[0].Links {
		add(l.Target)
	}
	for _, r := range d.Nodes[0].Relations {
		add(r.Target)
	}
	out, err := codec.Apply(d, "", doc.Retarget{Links: links})
	want := strings.ReplaceAll(strings.ReplaceAll(source, "Old", "New"), "old", "new")
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
	// What a link shows can stay, where it shows its name.
	source = "[[Old]] [[Old|a]] [[Old#h]] [x](old.md) `[[Old]]`\n\n| [[Old]] |\n\n- is [[Old]] @2020.. (why)\n\n[//begin]: # \"A\"\n[Old]: old.md \"Old\"\n[//end]: # \"A\"\n"
	d, links = codec.Parse("x.md", []byte(source)), nil
	for _, l := range d.Nodes[0].Links {
		if add(l.Target); l.Kind == doc.WikiLink {
			links[len(links)-1].Text = "Old"
		}
	}
	add(d.Nodes[0].Relations[0].Target)
	links[len(links)-1].Text = "Old"
	out, err = codec.Apply(d, "", doc.Retarget{Links: links})
	want = "[[New|Old]] [[New|a]] [[New#h|Old]] [x](new.md) `[[Old]]`\n\n| [[New\\|Old]] |\n\n- is [[New|Old]] @2020.. (why)\n\n[//begin]: # \"A\"\n[New|Old]: old.md \"Old\"\n[//end]: # \"A\"\n"
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
	d, links = codec.Parse("x.md", []byte("---\nup: \"[[Old]]\"\n---\n[[Old#h|a]]\n\n[[Old]]\n")), nil
	for _, l := range d.Nodes[0].Links {
		add(l.Target)
	}
	// A target that would break out of its link is refused.
	if out, err := codec.Apply(d, "", doc.Retarget{Links: []doc.RetargetOne{{At: links[1].At, Raw: "a]] [[b"}}}); kb.CodeOf(err) != kb.Invalid {
		t.Errorf("%v\n%s", err, out)
	}
}
