package merge_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/merge"
	"github.com/cairn-kb/cairn/internal/doc/org"
)

func TestMerge(t *testing.T) {
	t.Parallel()
	const page = "---\ntitle: A\ntype: note\ntags:\n  - x\n  - y\n---\n# A\n\nOne.\nTwo.\n\n- first\n- second\n- third\n\n## End\n\nLast.\n"
	swap := func(text string, pairs ...string) string {
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(text, pairs[i]) {
				panic(pairs[i])
			}
		}
		return strings.NewReplacer(pairs...).Replace(text)
	}
	for _, tc := range []struct {
		name, base, ours, theirs, want string
		conflicts                      []merge.Lines
	}{
		{name: "nothing", base: page, ours: page, theirs: page, want: page},
		{name: "only ours", base: page, ours: swap(page, "One", "1"), theirs: page, want: swap(page, "One", "1")},
		{name: "only theirs", base: page, ours: page, theirs: swap(page, "One", "1"), want: swap(page, "One", "1")},
		{name: "far apart", base: page, ours: swap(page, "One", "1"), theirs: swap(page, "Last", "End"), want: swap(page, "One", "1", "Last", "End")},
		{name: "the same", base: page, ours: swap(page, "One", "1"), theirs: swap(page, "One", "1", "Last", "End"), want: swap(page, "One", "1", "Last", "End")},
		{name: "two keys", base: page, ours: swap(page, "title: A", "title: B"), theirs: swap(page, "type: note", "type: idea"), want: swap(page, "title: A", "title: B", "type: note", "type: idea")},
		{name: "two items of a list in metadata", base: page, ours: swap(page, "  - x", "  - xx"), theirs: swap(page, "  - y\n", ""), want: swap(page, "  - x", "  - xx", "  - y\n", "")},
		{name: "two list items", base: page, ours: swap(page, "- first\n", ""), theirs: swap(page, "- second", "- 2nd"), want: swap(page, "- first\n", "", "- second", "- 2nd")},
		{name: "an item goes, another comes after it", base: page, ours: swap(page, "- third\n", ""), theirs: swap(page, "- third\n", "- third\n- fourth\n"), want: swap(page, "- third\n", "- fourth\n")},
		{name: "lines of one paragraph", base: page, ours: swap(page, "One.", "1."), theirs: swap(page, "Two.", "2."), conflicts: []merge.Lines{{10, 11}}},
		{name: "one line twice", base: page, ours: swap(page, "Last.", "L."), theirs: swap(page, "Last.", "Z.", "title: A", "title: C"), conflicts: []merge.Lines{{19, 19}}},
		{name: "the item that goes got a second line", base: page, ours: swap(page, "- third\n", ""), theirs: swap(page, "- third\n", "- third\n  more\n"), conflicts: []merge.Lines{{15, 16}}},
		{name: "both add in one place", base: page, ours: swap(page, "- third\n", "- third\n- a\n"), theirs: swap(page, "- third\n", "- third\n- b\n"), conflicts: []merge.Lines{{16, 16}}},
		{name: "both add the same", base: page, ours: swap(page, "- third\n", "- third\n- a\n"), theirs: swap(page, "- third\n", "- third\n- a\n", "One", "1"), want: swap(page, "- third\n", "- third\n- a\n", "One", "1")},
		{name: "two conflicts", base: page, ours: swap(page, "One.", "1.", "Last.", "L."), theirs: swap(page, "One.", "I.", "Last.", "Z."), conflicts: []merge.Lines{{10, 10}, {19, 19}}},
		{name: "a section goes, another comes", base: "# A\n\ntext\n\n## B\n\nb\n", ours: "# A\n\ntext\n", theirs: "# A\n\ntext\n\n## B\n\nb\n\n## C\n\nc\n", want: "# A\n\ntext\n\n## C\n\nc\n"},
		{name: "a key added twice", base: "---\ntitle: A\ntype: t\nx: 1\n---\n", ours: "---\nstatus: a\ntitle: A\ntype: t\nx: 1\n---\n", theirs: "---\ntitle: A\ntype: t\nx: 1\nstatus: b\n---\n", conflicts: []merge.Lines{{1, 6}}},
		{name: "no last line end", base: "- a\n- b", ours: "- a", theirs: "- a\n- b\n- c", want: "- a\n- c"},
		{name: "the last line gets an end", base: "a\n\nb", ours: "a\n\nb\n", theirs: "A\n\nb", want: "A\n\nb\n"},
		{name: "carriage returns", base: "a\r\n\r\nb\r\n", ours: "A\r\n\r\nb\r\n", theirs: "a\r\n\r\nB\r\n", want: "A\r\n\r\nB\r\n"},
		{name: "byte order mark", base: "\xef\xbb\xbfa\n\nb\n", ours: "\xef\xbb\xbfb\n", theirs: "\xef\xbb\xbfa\n\nb\n\nc\n", want: "\xef\xbb\xbfb\n\nc\n"},
		{name: "the mark goes", base: "\xef\xbb\xbfa\n\nb\n", ours: "a\n\nb\n", theirs: "\xef\xbb\xbfA\n\nb\n", want: "A\n\nb\n"},
		{name: "Latin-1", base: "caf\xe9\n\nb\n", ours: "caf\xe9s\n\nb\n", theirs: "caf\xe9\n\nb\xe9\n", want: "caf\xe9s\n\nb\xe9\n"},
		{name: "another encoding on each side", base: "a\n\nb\n", ours: "caf\xe9\n\nb\n", theirs: "\xef\xbb\xbfa\n\nB\n", conflicts: []merge.Lines{{1, 3}}},
		{name: "no text", base: "\x00a", ours: "\x00b", theirs: "\x00c", conflicts: []merge.Lines{{1, 1}}},
		{name: "all line ends changed", base: "a\nb\n", ours: "a\nB\n", theirs: "a\r\nb\r\n", conflicts: []merge.Lines{{1, 2}}},
		{name: "all gone, and changed", base: "a\nb\n", ours: "", theirs: "a\nc\n", conflicts: []merge.Lines{{1, 2}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, conflicts := merge.Merge(markdown.Codec{}, "a.md", []byte(tc.base), []byte(tc.ours), []byte(tc.theirs))
			if string(got) != tc.want || fmt.Sprint(conflicts) != fmt.Sprint(tc.conflicts) {
				t.Errorf("got %q, conflicts %v\nwant %q, conflicts %v", got, conflicts, tc.want, tc.conflicts)
			}
		})
	}
}

func TestMergeOrg(t *testing.T) {
	t.Parallel()
	const base = ":PROPERTIES:\n:ID: 0f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9\n:TYPE: note\n:END:\n#+title: A\n#+filetags: :x:\n\n* One\none\n* Two\ntwo\n"
	ours := strings.Replace(strings.Replace(base, "note", "idea", 1), "* One\none\n", "", 1)
	theirs := strings.Replace(strings.Replace(base, "#+title: A", "#+title: B", 1), "* Two\n", "* Second\n", 1)
	got, conflicts := merge.Merge(org.Codec{}, "a.org", []byte(base), []byte(ours), []byte(theirs))
	want := strings.NewReplacer("note", "idea", "* One\none\n", "", "title: A", "title: B", "* Two", "* Second").Replace(base)
	if string(got) != want || conflicts != nil {
		t.Errorf("got %q, conflicts %v", got, conflicts)
	}
}

// edit is what happens to one unit of a document in the property test.
type edit byte

const (
	keep edit = iota
	drop
	replace
	extend // adds a unit after it
	edits  = 4
)

// apply writes the units with what one side did to them.
func apply(units int, by string, do func(i int) edit, sep string) string {
	var b strings.Builder
	for i := range units {
		b.WriteString(unit(i, by, do(i), sep))
	}
	return b.String()
}

func unit(i int, by string, e edit, sep string) string {
	plain := fmt.Sprintf("- unit %d%s", i, sep)
	switch e {
	case drop:
		return ""
	case replace:
		return fmt.Sprintf("- %s made %d%s", by, i, sep)
	case extend:
		return plain + fmt.Sprintf("- %s added %d%s", by, i, sep)
	}
	return plain
}

// FuzzApart: edits of different units are all done, in their places; edits of
// the same unit are a conflict, or done once when they are the same.
func FuzzApart(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03\x13\x23"), false)
	f.Add([]byte("\x10\x20\x30\x11\x22\x33\x01\x02"), true)
	f.Add([]byte{0, 4, 8, 12, 1, 2, 3}, false)
	f.Fuzz(func(t *testing.T, plan []byte, crlf bool) {
		plan = plan[:min(len(plan), 40)]
		sep := "\n"
		if crlf {
			sep = "\r\n"
		}
		one := func(i int) edit { return edit(plan[i]) % edits }
		two := func(i int) edit { return edit(plan[i]>>4) % edits }
		none := func(int) edit { return keep }
		n := len(plan)
		base, ours, theirs := apply(n, "", none, sep), apply(n, "ours", one, sep), apply(n, "theirs", two, sep)
		got, conflicts := merge.Merge(markdown.Codec{}, "a.md", []byte(base), []byte(ours), []byte(theirs))
		var want strings.Builder
		clash, ambiguous := false, false
		for i := range n {
			a, b := one(i), two(i)
			switch {
			case a == keep:
				want.WriteString(unit(i, "theirs", b, sep))
			case b == keep:
				want.WriteString(unit(i, "ours", a, sep))
			case a == drop && b == drop:
			case a == drop && b == extend:
				want.WriteString(strings.TrimPrefix(unit(i, "theirs", b, sep), unit(i, "", keep, sep)))
			case b == drop && a == extend:
				want.WriteString(strings.TrimPrefix(unit(i, "ours", a, sep), unit(i, "", keep, sep)))
			case a == replace && b == extend:
				want.WriteString(unit(i, "ours", a, sep) + strings.TrimPrefix(unit(i, "theirs", b, sep), unit(i, "", keep, sep)))
			case b == replace && a == extend:
				want.WriteString(unit(i, "theirs", b, sep) + strings.TrimPrefix(unit(i, "ours", a, sep), unit(i, "", keep, sep)))
			default:
				// Beside other edits it may read as something else: a unit
				// that goes and one added before it are one that was replaced.
				clash = clash || alone(i, n, one) && alone(i, n, two)
				ambiguous = true
			}
		}
		if conflicts != nil {
			if got != nil {
				t.Fatal("a conflict and a text")
			}
			lines := strings.Count(theirs, "\n")
			for _, c := range conflicts {
				if c.From < 1 || c.From > c.To || c.To > max(1, lines)+1 {
					t.Fatalf("conflict %v in a page of %d lines", c, lines)
				}
			}
		}
		switch {
		case clash && conflicts == nil && ours != theirs:
			t.Fatalf("a clash was merged\nbase %q\nours %q\ntheirs %q\ngot %q", base, ours, theirs, got)
		case !ambiguous && conflicts == nil && string(got) != want.String():
			t.Fatalf("base %q\nours %q\ntheirs %q\ngot %q\nwant %q", base, ours, theirs, got, want.String())
		case !ambiguous && conflicts != nil && plain(plan, one, two):
			t.Fatalf("conflict %v\nbase %q\nours %q\ntheirs %q", conflicts, base, ours, theirs)
		}
	})
}

// alone reports whether a side leaves the neighbours of a unit as they are.
func alone(i, n int, do func(int) edit) bool {
	return (i == 0 || do(i-1) == keep) && (i == n-1 || do(i+1) == keep)
}

// plain reports whether each side leaves alone what the other changes and what
// stands beside it, so that nothing can be taken to touch.
func plain(plan []byte, one, two func(int) edit) bool {
	for i := range plan {
		for j := max(0, i-1); j < min(len(plan), i+2); j++ {
			if one(i) != keep && two(j) != keep {
				return false
			}
		}
	}
	return true
}

// FuzzMerge: whatever the texts are, a merge is symmetric, does nothing to what
// only one side changed, invents no line, and reads as a page.
func FuzzMerge(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("a\nc\n"), []byte("a\nb\nc\nd"))
	f.Add([]byte("---\ntitle: A\n---\nx"), []byte("---\ntitle: B\n---\nx\n"), []byte("---\ntitle: A\ntype: t\n---\nx"))
	f.Add([]byte("\xef\xbb\xbfa\r\n\r\nb"), []byte("a\r\n\r\nb"), []byte("\xef\xbb\xbfa\r\n\r\nc\r\n"))
	f.Add([]byte("caf\xe9\n\na\n"), []byte("cafe\n\na\n"), []byte("caf\xe9\n\nb\n"))
	f.Fuzz(func(t *testing.T, base, ours, theirs []byte) {
		codec := markdown.Codec{}
		one, conflicts := merge.Merge(codec, "a.md", base, ours, theirs)
		two, reverse := merge.Merge(codec, "a.md", base, theirs, ours)
		if (conflicts == nil) != (reverse == nil) || conflicts == nil && !bytes.Equal(one, two) {
			t.Fatalf("%q and the other way round %q", one, two)
		}
		if same, c := merge.Merge(codec, "a.md", base, ours, base); c != nil || !bytes.Equal(same, ours) {
			t.Fatalf("against an unchanged page: %q, %v", same, c)
		}
		if conflicts != nil {
			return
		}
		known := map[string]bool{"": true}
		for _, text := range [][]byte{base, ours, theirs} {
			decoded, _ := doc.Decode(text)
			for line := range strings.SplitSeq(string(decoded), "\n") {
				known[strings.TrimRight(line, "\r")] = true
			}
		}
		text, _ := doc.Decode(one)
		for line := range strings.SplitSeq(string(text), "\n") {
			if !known[strings.TrimRight(line, "\r")] {
				t.Fatalf("the line %q is new", line)
			}
		}
	})
}

// Long texts with many differences stay bounded and are still told apart.
func TestManyEdits(t *testing.T) {
	t.Parallel()
	var base, ours, theirs strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&base, "- %d\n", i)
		fmt.Fprintf(&theirs, "- %d\n", i)
		if i%5 == 0 {
			fmt.Fprintf(&ours, "- new %d\n", i)
		} else {
			fmt.Fprintf(&ours, "- %d\n", i)
		}
	}
	theirs.WriteString("- more\n")
	got, conflicts := merge.Merge(markdown.Codec{}, "a.md", []byte(base.String()), []byte(ours.String()), []byte(theirs.String()))
	if conflicts != nil || string(got) != ours.String()+"- more\n" {
		t.Errorf("conflicts %v", conflicts)
	}
}

func TestUnion(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, base, ours, theirs, want string
		conflict                       bool
	}{
		{name: "items", base: "- a\n", ours: "- a\n- b\n", theirs: "- a\n- c\n", want: "- a\n- c\n- b\n"},
		{name: "paragraphs at the end", base: "# A\n\nOne.\n", ours: "# A\n\nOne.\n\nMine.\n", theirs: "# A\n\nOne.\n\nYours.\n", want: "# A\n\nOne.\n\nYours.\n\nMine.\n"},
		{name: "the same", base: "- a\n", ours: "- a\n- b\n", theirs: "- a\n- b\n", want: "- a\n- b\n"},
		{name: "keys", base: "---\ntitle: A\n---\n", ours: "---\ntitle: A\nx: 1\n---\n", theirs: "---\ntitle: A\ny: 1\n---\n", want: "---\ntitle: A\ny: 1\nx: 1\n---\n"},
		{name: "one key", base: "---\ntitle: A\n---\n", ours: "---\ntitle: A\nx: 1\n---\n", theirs: "---\ntitle: A\nx: 2\n---\n", conflict: true},
		{name: "one line, changed", base: "a\n", ours: "b\n", theirs: "c\n", conflict: true},
		{name: "lines of one paragraph", base: "a\nb\n", ours: "a\nx\nb\n", theirs: "a\ny\nb\n", conflict: true},
		{name: "one adds where the other removes", base: "- a\n- b\n", ours: "- a\n- b\n- c\n", theirs: "- a\n", want: "- a\n- c\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, conflicts := merge.Union(markdown.Codec{}, "a.md", []byte(tc.base), []byte(tc.ours), []byte(tc.theirs))
			if string(got) != tc.want || (len(conflicts) > 0) != tc.conflict {
				t.Errorf("got %q, conflicts %v; want %q", got, conflicts, tc.want)
			}
		})
	}
}

// A proposal has the changes of both, and ours where they conflict.
func TestProposal(t *testing.T) {
	t.Parallel()
	base := "# A\n\none\n\ntwo\n\nthree\n\nfour\n"
	ours := strings.NewReplacer("two", "TWO", "four", "FOUR").Replace(base)
	theirs := strings.NewReplacer("two", "zwei", "one", "eins").Replace(base)
	want := strings.NewReplacer("one", "eins", "two", "TWO", "four", "FOUR").Replace(base)
	codec := markdown.Codec{}
	if _, conflicts := merge.Merge(codec, "a.md", []byte(base), []byte(ours), []byte(theirs)); len(conflicts) != 1 {
		t.Fatalf("conflicts %v", conflicts)
	}
	if got := string(merge.Proposal(codec, "a.md", []byte(base), []byte(ours), []byte(theirs))); got != want {
		t.Errorf("the proposal is %q, want %q", got, want)
	}
	deleted := strings.Replace(base, "two\n\n", "", 1)
	if got := string(merge.Proposal(codec, "a.md", []byte(base), []byte(deleted), []byte(theirs))); got != strings.Replace(deleted, "one", "eins", 1) {
		t.Errorf("with a removed line the proposal is %q", got)
	}
}
