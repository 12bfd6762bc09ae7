package doc

import "strings"

// WikiTarget parses the text between the brackets of a wikilink:
// "Target#heading^block|alias". at is the offset of inner in the text; Span is left to the
// caller, which knows the brackets.
//
// A '#' at the very end is part of the name, as in [[C#]], but alone it is not a name. A
// block id comes only after '#', so that a name may contain '^'. If links name pages by
// their title, as in Logseq, a link has no heading, and '#' is part of the name: [[C#
// notes]].
func WikiTarget(inner string, at int) Target { return Syntax{}.WikiTarget(inner, at) }

// WikiTarget is WikiTarget for a syntax.
func (s Syntax) WikiTarget(inner string, at int) Target {
	t := Target{Kind: WikiLink}
	name := inner
	if i := aliasBar(inner); i >= 0 {
		// In a table the bar is escaped, since it would end the cell.
		before, after := strings.TrimSuffix(inner[:i], `\`), inner[i+1:]
		if s.LabelFirst {
			before, after = after, before
			at += i + 1
		}
		name, t.Text = before, strings.TrimSpace(after)
	}
	if rest, ok := strings.CutPrefix(name, s.Vaults); ok && s.Vaults != "" {
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			at += len(name) - len(rest[i+1:])
			name = rest[i+1:]
		}
	}
	if i := strings.IndexByte(name, '#'); i >= 0 && !s.Named && strings.TrimSpace(name[i+1:]) != "" {
		t.Heading = strings.TrimSpace(name[i+1:])
		name = name[:i]
		if j := strings.LastIndexByte(t.Heading, '^'); j >= 0 && isBlockID(t.Heading[j+1:]) {
			t.Block = t.Heading[j+1:]
			t.Heading = strings.TrimRight(strings.TrimSpace(t.Heading[:j]), "#")
		}
	}
	if strings.Trim(name, "# \t") == "" {
		name = ""
	}
	t.Raw = name
	t.NameAt = Span{at, at + len(name)}
	t.Name = strings.TrimSpace(name)
	return t
}

// aliasBar returns the offset of the first '|' that is not within nested
// brackets, or -1.
func aliasBar(inner string) int {
	depth := 0
	for i := 0; i < len(inner); i++ {
		switch inner[i] {
		case '[':
			depth++
		case ']':
			depth--
		case '|':
			if depth <= 0 {
				return i
			}
		}
	}
	return -1
}

func isBlockID(s string) bool {
	for _, c := range []byte(s) {
		if c != '-' && !isWordByte(c) {
			return false
		}
	}
	return s != ""
}
