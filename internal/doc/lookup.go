package doc

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Section returns the index of the heading with a name: its path, or its text, compared
// exactly, then as written in the file, then with either encoding of accents, then ignoring
// case, then as an anchor. "Name#2" is the second of several headings, and "Outer#Inner" an
// Obsidian path. The error is kb.NotFound if there is none, kb.Ambiguous if there are
// several.
func (n *Node) Section(name string) (int, error) {
	found := n.sections(name)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		e := kb.Errorf(kb.NotFound, "there is no section %q", name)
		if names := n.sectionNames(); len(names) > 0 {
			return 0, e.WithHint("Sections are %s.", listed(names))
		}
		return 0, e.WithHint("There is no heading.")
	}
	all, names := n.sectionNames(), make([]string, len(found))
	for k, i := range found {
		names[k] = all[i]
	}
	return 0, kb.Errorf(kb.Ambiguous, "%d sections are called %q", len(found), name).
		WithHint("Say which: %s", strings.Join(names, ", ")).With("candidates", names)
}

// sections returns the indexes of the headings that match a name; see Section.
func (n *Node) sections(name string) []int {
	want := strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(name), "#"))
	found := n.headings(want)
	if len(found) == 0 {
		if of, number, ok := cutOrdinal(want); ok {
			if all := n.headings(of); number <= len(all) {
				return []int{all[number-1]}
			}
		} else if strings.Contains(want, "#") {
			found = n.below(strings.Split(want, "#"))
		}
	}
	for _, bare := range bareHeadings(want) {
		if len(found) == 0 && bare != want {
			found = n.headings(bare)
		}
	}
	if parts := strings.Split(want, " > "); len(found) == 0 && len(parts) > 1 {
		found = n.below(parts)
	}
	return found
}

// bareHeadings returns the line of a heading without the marks around its text: the closing
// signs in Markdown, the stars of Org.
func bareHeadings(line string) []string {
	out := []string{strings.TrimSpace(strings.TrimLeft(line, "*"))}
	if bare := strings.TrimRight(line, "#"); bare != line && strings.HasSuffix(bare, " ") {
		out = append(out, strings.TrimSpace(bare))
	}
	return out
}

// maxNamed is the maximum number of sections in the error of a lookup.
const maxNamed = 8

// listed lists the first of many names.
func listed(names []string) string {
	text := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}

// headings returns the indexes of the headings that match a name in the best way that has
// matches.
func (n *Node) headings(name string) (found []int) {
	composed := norm.NFC.String(name) // accents have two encodings
	for _, match := range []func(Heading) bool{
		func(h Heading) bool { return h.Path == name },
		func(h Heading) bool { return h.Text == name },
		func(h Heading) bool { return slices.Contains(h.Written, name) },
		func(h Heading) bool { return norm.NFC.String(h.Path) == composed },
		func(h Heading) bool { return norm.NFC.String(h.Text) == composed },
		func(h Heading) bool { return strings.EqualFold(norm.NFC.String(h.Path), composed) },
		func(h Heading) bool { return strings.EqualFold(norm.NFC.String(h.Text), composed) },
		func(h Heading) bool { return h.Text != "" && Slug(h.Text) == name }, // an anchor, as in page.md#the-end
	} {
		for i, h := range n.Headings {
			if match(h) {
				found = append(found, i)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// below returns the indexes of the headings with the last of names that are below a heading
// with the previous name, and so on.
func (n *Node) below(names []string) (found []int) {
	name := strings.TrimSpace(names[len(names)-1])
	if len(names) == 1 {
		return n.headings(name)
	}
	outer := n.below(names[:len(names)-1])
	for _, i := range n.headings(name) {
		in := func(o int) bool { return o < i && n.Headings[o].Section.Contains(n.Headings[i].Section) }
		if slices.ContainsFunc(outer, in) {
			found = append(found, i)
		}
	}
	return found
}

// cutOrdinal reads "Name#2".
func cutOrdinal(name string) (of string, number int, ok bool) {
	i := strings.LastIndexByte(name, '#')
	if i < 0 {
		return "", 0, false
	}
	number, err := strconv.Atoi(name[i+1:])
	return strings.TrimSpace(name[:i]), number, err == nil && number > 0
}

// sectionNames returns a name for each heading by which Section finds it: its path, with a
// number if several have the same.
func (n *Node) sectionNames() []string {
	count, seen := map[string]int{}, map[string]int{}
	for _, h := range n.Headings {
		count[h.Path]++
	}
	names := make([]string, len(n.Headings))
	for i, h := range n.Headings {
		names[i] = h.Path
		if seen[h.Path]++; count[h.Path] > 1 {
			names[i] += "#" + strconv.Itoa(seen[h.Path])
		}
	}
	return names
}

// relations returns the indexes of the relations with this target and type;
// an empty type matches all.
func (n *Node) relations(kind, target string) []int {
	var found []int
	for i, r := range n.Relations {
		if sameTarget(r.Target, target) && (kind == "" || FoldName(r.Type) == FoldName(kind)) {
			found = append(found, i)
		}
	}
	return found
}

// relationsAt is relations limited to those at a line; 0 means any line.
func (n *Node) relationsAt(d *Document, kind, target string, line int) []int {
	lines := NewLines(d.Text)
	return slices.DeleteFunc(n.relations(kind, target), func(i int) bool {
		return line != 0 && lines.At(n.Relations[i].Target.Span.Start) != line
	})
}

// sameTarget reports whether a link has the target that an edit names, in resolved or
// written form, with or without its heading or block.
func sameTarget(t Target, name string) bool {
	if t.Raw == name || FoldName(t.Name) == FoldName(name) ||
		t.Kind == MarkLink && FoldName(strings.TrimSuffix(t.Name, ".md")) == FoldName(name) {
		return true
	}
	for _, sign := range []string{"::", "#"} { // of Org, of Markdown
		of, part, ok := strings.Cut(name, sign)
		part = strings.TrimLeft(part, "*#^")
		if ok && part != "" && (t.Raw == of || FoldName(t.Name) == FoldName(of)) &&
			(part == t.Block || FoldName(part) == FoldName(t.Heading)) {
			return true
		}
	}
	return false
}

// Targets returns the targets of all links, relations and echoes of the document.
func (d *Document) Targets() []Target {
	var out []Target
	for i := range d.Nodes {
		for _, l := range d.Nodes[i].Links {
			out = append(out, l.Target)
		}
		for _, r := range d.Nodes[i].Relations {
			out = append(out, r.Target)
		}
	}
	for _, x := range d.Echoes {
		out = append(out, x.Target)
	}
	return out
}
