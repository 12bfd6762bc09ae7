package brief

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/policy"
)

// passage is a heading of a page with the text up to the next heading; the text above
// all headings has level 0.
type passage struct {
	level int
	name  string
	span  doc.Span
	text  string // with the heading line, without comments and empty tables
	empty bool   // neither it nor its subsections have text
}

// sectionsOf splits the text of a page. A section with only the text from the
// space's preset counts as empty.
func sectionsOf(sess *memory.Session, pol *policy.Policy, p kb.Page, text string) []passage {
	codec := doc.ForPath(sess.Codecs, p.Path)
	made := map[string]bool{}
	if original, ok := sess.Presets.File(pol.Preset, p.Path); ok {
		for _, s := range split(codec, p.Path, string(original)) {
			made[s.text] = true
		}
	}
	out := split(codec, p.Path, text)
	for i := len(out) - 1; i >= 0; i-- {
		s := &out[i]
		s.empty = s.empty || made[s.text]
		for j := i + 1; j < len(out) && out[j].level > s.level && s.level > 0; j++ {
			s.empty = s.empty && out[j].empty
		}
	}
	return out
}

// filled returns the text of a page without its empty sections. The only heading of level 1
// is that of the page, which stays.
func filled(sess *memory.Session, pol *policy.Policy, p kb.Page, text string) string {
	all := sectionsOf(sess, pol, p, text)
	first := 0
	for _, s := range all {
		if s.level == 1 {
			first++
		}
	}
	var out strings.Builder
	at := 0
	for _, s := range all {
		if s.level > 0 && s.empty && (s.level > 1 || first > 1) {
			out.WriteString(text[at:s.span.Start])
			at = s.span.End
		}
	}
	out.WriteString(text[at:])
	return out.String()
}

func split(codec doc.Codec, name, text string) []passage {
	if codec == nil {
		return []passage{{span: doc.Span{End: len(text)}, text: text, empty: strings.TrimSpace(text) == ""}}
	}
	d := codec.Parse(name, []byte(text))
	var headings []doc.Heading
	for _, n := range d.Nodes {
		headings = append(headings, n.Headings...)
	}
	slices.SortFunc(headings, func(a, b doc.Heading) int { return cmp.Compare(a.Line.Start, b.Line.Start) })
	headings = slices.CompactFunc(headings, func(a, b doc.Heading) bool { return a.Line.Start == b.Line.Start })
	at := d.Nodes[0].Head.End
	var out []passage
	add := func(h doc.Heading, to int) {
		head, body := string(d.Text[at:max(at, h.Line.End)]), tidy(string(d.Text[max(at, h.Line.End):to]))
		out = append(out, passage{
			level: h.Level, name: strings.TrimSpace(h.Text), span: doc.Span{Start: at, End: to}, text: strings.TrimSpace(head + body), empty: body == "" || body == "None.",
		})
		at = to
	}
	var above doc.Heading
	for _, h := range headings {
		if h.Line.Start >= at {
			add(above, h.Line.Start)
			above = h
		}
	}
	add(above, len(d.Text))
	return out
}

// tidy removes comment lines and tables without rows from a text. Code blocks are
// unchanged.
func tidy(text string) string {
	var out []string
	lines := strings.Split(text, "\n")
	var fence doc.Fence
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		switch {
		case fence.Line(line):
		case strings.HasPrefix(line, "<!--") && strings.HasSuffix(line, "-->"):
			continue
		case strings.HasPrefix(line, "|"):
			end, rules := i, 0
			for ; end < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[end]), "|"); end++ {
				if strings.Trim(lines[end], " \t\r|:+-") == "" && strings.Contains(lines[end], "-") {
					rules++
				}
			}
			if rules == 0 || end-i-rules > 1 {
				out = append(out, lines[i:end]...)
			}
			i = end - 1
			continue
		}
		out = append(out, lines[i])
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// whole writes an injected page, each line behind "> ". It writes the whole page if
// the page's own budget and that of t suffice, else the sections that the policy
// always injects and, in their order, others that fit. It lists the omitted parts
// with their sizes, and reports whether any text was written.
func (t *primeText) whole(ref string, parts []passage, inj policy.Injection) bool {
	limit := min(cmp.Or(inj.MaxTokens, injectedPageShare), t.left)
	level := sectionLevel(parts)
	parts = slices.DeleteFunc(parts, func(s passage) bool { return s.empty })
	if len(parts) == 0 {
		t.add("Page " + primeName(ref) + " has no text yet.")
		return false
	}
	groups := grouped(parts, level)
	head := "Pinned page " + primeName(ref) + ":"
	left, all := limit-t.count(head), 0
	for i := range groups {
		groups[i].quote = quoted(groups[i].text)
		groups[i].tokens = t.count(groups[i].quote)
		all += groups[i].tokens
	}
	always := func(g group) bool {
		return slices.ContainsFunc(inj.Always, func(name string) bool { return strings.EqualFold(name, g.name) })
	}
	if all > left {
		left -= noteTokens
	}
	given := make([]bool, len(groups))
	choose := func(limit int, want func(group) bool) {
		for i, g := range groups {
			if !given[i] && g.tokens <= limit && want(g) {
				given[i] = true
				left, limit = left-g.tokens, limit-g.tokens
			}
		}
	}
	if all > left {
		// These may exceed the budget of the page, but not that of the text.
		choose(t.left-t.count(head)-noteTokens, always)
	}
	if all <= left || len(groups) > 1 {
		choose(left, func(group) bool { return true })
	}
	var out, missing []string
	said := false
	for i, g := range groups {
		if given[i] {
			out, said = append(out, g.quote), said || strings.Contains(g.text, "\n")
		} else {
			missing = append(missing, fmt.Sprintf("%s (%d tokens)", cmp.Or(oneLine(g.name), "its beginning"), g.tokens))
		}
	}
	if len(out) == 0 || len(missing) > 0 && !said { // a title alone is not useful
		t.add(fmt.Sprintf("Page %s is left out: it has %d tokens, more than %d. Read it.", primeName(ref), all, limit))
		return false
	}
	t.left -= t.count(head) + t.count(strings.Join(out, "\n"))
	t.WriteString(head + "\n" + strings.Join(out, "\n> \n") + "\n")
	if len(missing) > 0 {
		t.add("Left out of it: " + masked(strings.Join(missing, ", ")) + ". Read the page for them.")
	}
	return true
}

// noteTokens are reserved for the line that names missing parts.
const noteTokens = 30

// group is a part of a page that is injected whole: a section with its subsections.
type group struct {
	name, text, quote string
	tokens            int
}

// sectionLevel returns the highest level that has several sections, 0 for none.
func sectionLevel(parts []passage) (level int) {
	n := map[int]int{}
	for _, s := range parts {
		if n[s.level]++; s.level > 0 && n[s.level] == 2 && (level == 0 || s.level < level) {
			level = s.level
		}
	}
	return level
}

// grouped joins sections of a level with their subsections.
func grouped(parts []passage, level int) (out []group) {
	for _, s := range parts {
		if len(out) > 0 && (level == 0 || s.level > level || s.level < level && out[len(out)-1].name == "") {
			out[len(out)-1].text += "\n\n" + s.text
			continue
		}
		g := group{text: s.text}
		if s.level == level {
			g.name = s.name
		}
		out = append(out, g)
	}
	return out
}

func quoted(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(harmless(safetext.Text(line)), "\n\t ")
		if line == "" && len(out) > 0 && out[len(out)-1] == "> " {
			continue
		}
		out = append(out, "> "+line)
	}
	return strings.Join(out, "\n")
}

// today names the page of the day, and the command that adds to it.
func (t *primeText) today(r policy.Rotation) {
	var kinds []string
	for _, a := range r.Add {
		kinds = append(kinds, oneLine(a.Name))
	}
	if len(kinds) > 0 {
		t.add(fmt.Sprintf("The page of the day is %s: add to it with cairn today %s TEXT (tool today).", primeName(strings.TrimSuffix(r.Page, path.Ext(r.Page))), strings.Join(kinds, "|")))
	}
}
