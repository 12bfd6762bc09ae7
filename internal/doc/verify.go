package doc

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// verify reports whether after is before with the edit applied and nothing else changed:
// structure that no splice touches must be unchanged, and the edit's content must read back.
// Markup can change distant text (an unclosed fence, an anchor, a second timeline); such
// changes must not pass silently.
func verify(before, after *Document, at, atAfter int, e Edit, sorted []Splice) error {
	if e, free := e.(Replace); free {
		return replaced(before, after, at, atAfter, e) // it may change any other structure
	}
	sh := newShift(sorted)
	what := lost(before, after, sh)
	if what == "" {
		what = moved(&before.Nodes[at], &after.Nodes[atAfter], sh, e)
	}
	if what != "" {
		return kb.Errorf(kb.Invalid, "this edit would change the meaning of other text in the document: %s", what).
			WithHint("look for an open code fence, comment, quotation mark or a --- line in the new text")
	}
	if _, is := e.(ReplaceSection); is {
		if doubled := doubledHeadings(&after.Nodes[atAfter], sorted); len(doubled) > 0 {
			return kb.Errorf(kb.Invalid, "the page has the sections %s already, next to the one that is replaced", strings.Join(doubled, ", ")).
				WithHint("Leave them out of the new text, or replace each by itself.").With("sections", doubled)
		}
	}
	if twice := func(w Warning) bool { return w.Code == KeyTwice }; slices.ContainsFunc(after.Warnings, twice) && !slices.ContainsFunc(before.Warnings, twice) {
		return kb.Errorf(kb.Invalid, "this edit would write a key of the metadata twice")
	}
	if !effective(before, after, at, atAfter, e, sh) {
		return kb.Errorf(kb.Invalid, "this edit cannot be expressed here: its text would not read back unchanged").
			WithHint("keep line ends, brackets and marks of this format out of it")
	}
	return nil
}

// doubledHeadings returns the headings of new text that are next to an equal one.
func doubledHeadings(n *Node, sorted []Splice) (names []string) {
	inNew := func(h Heading) bool {
		grown := 0
		for _, s := range sorted {
			if start := s.Start + grown; h.Line.Start >= start && h.Line.Start < start+len(s.New) {
				return true
			}
			grown += len(s.New) - s.Len()
		}
		return false
	}
	parents := parentsOf(n.Headings)
	for i, h := range n.Headings {
		if h.Text == "" || !inNew(h) || slices.Contains(names, h.Text) {
			continue
		}
		for j, x := range n.Headings {
			if !inNew(x) && x.Level == h.Level && strings.EqualFold(x.Text, h.Text) && parents[i] == parents[j] {
				names = append(names, h.Text)
				break
			}
		}
	}
	return names
}

// parentsOf returns the index of each heading's parent, -1 for none. Two sections with one
// name are two parents.
func parentsOf(headings []Heading) []int {
	out := make([]int, len(headings))
	var open []int
	for i, h := range headings {
		for len(open) > 0 && headings[open[len(open)-1]].Level >= h.Level {
			open = open[:len(open)-1]
		}
		if out[i] = -1; len(open) > 0 {
			out[i] = open[len(open)-1]
		}
		open = append(open, i)
	}
	return out
}

// replaced reports whether the metadata can still be parsed after a replacement, and has the
// intended texts: a value with a sign that has a meaning in the format would be cut, or
// changed.
func replaced(before, after *Document, at, atAfter int, e Replace) error {
	broken := func(d *Document) bool {
		return slices.ContainsFunc(d.Warnings, func(w Warning) bool { return strings.HasPrefix(w.Code, "frontmatter-") })
	}
	gone := before.Nodes[0].Head.Len() > 0 && after.Nodes[0].Head.Len() == 0 && strings.HasPrefix(string(after.Text[:min(1, len(after.Text))]), "{")
	if !broken(before) && (broken(after) || gone) { // text that starts with a brace needs no warning
		return kb.Errorf(kb.Invalid, "this replacement would break the metadata block of the page").
			WithReason(kb.MetadataReplaced)
	}
	now := valuesByKey(&after.Nodes[atAfter])
	for key, was := range valuesByKey(&before.Nodes[at]) {
		is := now[key]
		if len(is) == 0 {
			continue // the key was renamed
		}
		if key == "tags" && sameTags(was, is, e) {
			continue
		}
		for i, v := range was {
			want := strings.ReplaceAll(v, e.Old, e.New)
			if want != v && (len(is) != len(was) || oneLine(want) != is[i] && v != is[i]) {
				return kb.Errorf(kb.Invalid, "after this replacement the value of %q would not be the text that it asks for", key).
					WithReason(kb.MetadataReplaced)
			}
		}
	}
	return nil
}

// sameTags reports whether the tags after a replacement are those of its text: a comma, or
// in Org a colon, in the new text splits a tag into two.
func sameTags(was, is []string, e Replace) bool {
	var want []string
	for _, tag := range was {
		want = append(want, strings.FieldsFunc(strings.ReplaceAll(tag, e.Old, e.New), func(r rune) bool { return r == ',' || r == ':' })...)
	}
	return slices.Equal(Tags(want), Tags(is))
}

// valuesByKey returns the values in the metadata of a node.
func valuesByKey(n *Node) map[string][]string {
	out := map[string][]string{}
	for _, p := range n.Properties {
		if !p.Inline {
			out[p.Key] = append(out[p.Key], p.Value)
		}
	}
	return out
}

// lost names the first kind of item that no splice touches and that is missing or changed in
// the new document.
func lost(before, after *Document, sh shift) string {
	switch {
	case !kept(before, after, sh, func(n *Node) []Property { return n.Metadata },
		// An item may be added to the end of a list, which changes the list.
		func(p Property) Span { return Span{p.Span.Start, p.Span.End + 1} },
		func(a, b Property) bool {
			return a.Key == b.Key && slices.Equal(a.Values, b.Values) && a.List == b.List
		}):
		return "metadata"
	case !kept(before, after, sh, func(n *Node) []InlineTag { return n.InlineTags },
		func(t InlineTag) Span { return t.Span },
		func(a, b InlineTag) bool { return a.Name == b.Name }):
		return "tags"
	case !kept(before, after, sh, inlineProperties,
		func(p PropertyValue) Span { return p.Span },
		func(a, b PropertyValue) bool { return a.Key == b.Key && a.Value == b.Value }):
		return "inline fields"
	case !kept(before, after, sh, func(n *Node) []Heading { return n.Headings },
		func(h Heading) Span { return h.Line },
		func(a, b Heading) bool { return a.Text == b.Text && a.Level == b.Level && a.InTruth == b.InTruth }):
		return "headings"
	case !kept(before, after, sh, func(n *Node) []Observation { return n.Observations },
		func(o Observation) Span { return o.Span },
		func(a, b Observation) bool {
			return a.Category == b.Category && a.Text == b.Text && a.Context == b.Context
		}):
		return "observations"
	case !kept(before, after, sh, func(n *Node) []Relation { return n.Relations },
		func(r Relation) Span { return r.Span },
		func(a, b Relation) bool { return sameRelation(a, b) && a.Target.Name == b.Target.Name }):
		return "relations"
	case !linksKept(before, after, sh):
		return "links"
	case !kept(before, after, sh, func(n *Node) []Entry { return n.Entries },
		func(e Entry) Span { return e.Span },
		func(a, b Entry) bool { return a.Date == b.Date && a.Source == b.Source && a.Text == b.Text }):
		return "timeline entries"
	case !kept(before, after, sh, func(n *Node) []Task { return n.Tasks },
		func(t Task) Span { return t.Span },
		func(a, b Task) bool { b.Span = a.Span; return a == b }):
		return "tasks"
	}
	return ""
}

func inlineProperties(n *Node) []PropertyValue {
	i := slices.IndexFunc(n.Properties, func(p PropertyValue) bool { return p.Inline })
	if i < 0 {
		return nil
	}
	return n.Properties[i:] // values in the text follow those in the metadata
}

// linksKept is kept for links. A link with its target in a definition may have changed.
func linksKept(before, after *Document, sh shift) bool {
	links := func(n *Node) []Link { return n.Links }
	span := func(l Link) Span { return l.Span }
	return keptItems(untouched(gather(before, links, span), sh), gather(after, links, span), sh, span,
		func(a, b Link) bool { return a.Name == b.Name && a.Raw == b.Raw && a.Kind == b.Kind })
}

// untouched returns links of the document before, except those with spliced targets
// elsewhere.
func untouched(links []Link, sh shift) []Link {
	for i, l := range links {
		if _, ok := sh.span(l.NameAt); !ok {
			rest := slices.Clone(links[:i])
			for _, l := range links[i:] {
				if _, ok := sh.span(l.NameAt); ok {
					rest = append(rest, l)
				}
			}
			return rest
		}
	}
	return links
}

// kept reports whether every item of before that no splice touches is in after, at its new
// position. Only starts are compared, since following text may become part of an item.
func kept[T any](before, after *Document, sh shift, items func(*Node) []T, span func(T) Span, same func(a, b T) bool) bool {
	return keptItems(gather(before, items, span), gather(after, items, span), sh, span, same)
}

func keptItems[T any](old, now []T, sh shift, span func(T) Span, same func(a, b T) bool) bool {
	for _, item := range old {
		moved, ok := sh.span(span(item))
		if !ok {
			continue
		}
		for len(now) > 0 && span(now[0]).Start < moved.Start {
			now = now[1:]
		}
		if len(now) == 0 || span(now[0]).Start != moved.Start || !same(item, now[0]) {
			return false
		}
	}
	return true
}

// gather returns the items of all nodes in order of position.
func gather[T any](d *Document, items func(*Node) []T, span func(T) Span) []T {
	if len(d.Nodes) == 1 {
		return items(&d.Nodes[0])
	}
	var all []T
	for i := range d.Nodes {
		all = append(all, items(&d.Nodes[i])...)
	}
	sort.SliceStable(all, func(i, j int) bool { return span(all[i]).Start < span(all[j]).Start })
	return all
}

// moved names a part of the node with bounds other than those expected from the splices.
func moved(before, after *Node, sh shift, e Edit) string {
	switch e.(type) {
	case SetProperty, SetList, RemoveProperty, SetTitle, AddTag, RemoveTag, RenameTag:
	default:
		head, ok := sh.span(before.Head)
		if grown := after.Head.End - head.End; before.Head.End == before.Span.End && grown > 0 && grown <= len("\r\n") {
			head.End = after.Head.End // its last line had no line end
		}
		// Links in the metadata may have new targets.
		if (before.Head.Len() > 0) != (after.Head.Len() > 0) || before.Head.Len() > 0 && ok && head != after.Head {
			return "the metadata block"
		}
	}
	end, _ := sh.span(Span{before.Truth.End, before.Truth.End})
	if _, makesLine := e.(AddEntry); end.Start != after.Truth.End && (!makesLine || before.Timeline.Len() > 0) {
		return "the line between truth and timeline"
	}
	return ""
}

// effective reports whether the edit's content reads back.
func effective(before, after *Document, at, atAfter int, e Edit, sh shift) bool {
	old, now := &before.Nodes[at], &after.Nodes[atAfter]
	switch e := e.(type) {
	case SetProperty:
		p, ok := now.Property(e.Key)
		if !ok {
			return nestedValue(old, now, e.Key, func(values []string) bool {
				none := e.Value == "null" || strings.TrimSpace(e.Value) == ""
				return e.Written || none && len(values) == 0 || len(values) == 1 && (values[0] == e.Value || strings.Contains(after.Slice(now.Head), e.Value))
			})
		}
		return e.Written || slices.Equal(p.Values, []string{e.Value}) || strings.Contains(after.Slice(p.Span), e.Value)
	case SetList:
		p, ok := now.Property(e.Key)
		if !ok {
			return nestedValue(old, now, e.Key, func(values []string) bool { return slices.Equal(values, e.Values) })
		}
		return slices.Equal(p.Values, e.Values)
	case RemoveProperty:
		if _, ok := now.Property(e.Key); ok {
			return false
		}
		_, flat := old.Property(e.Key)
		return flat || nestedValue(old, now, e.Key, func(values []string) bool { return len(values) == 0 })
	case SetTitle:
		return now.Title == strings.TrimSpace(e.Title)
	case AddTag:
		if HasTag(old.Tags, NormalizeTag(e.Tag)) {
			return sameSet(now.Tags, old.Tags)
		}
		return sameSet(now.Tags, Tags(append(slices.Clone(old.Tags), e.Tag)))
	case RemoveTag:
		tag := NormalizeTag(e.Tag)
		return slices.Equal(now.Tags, slices.DeleteFunc(slices.Clone(old.Tags), func(t string) bool { return t == tag }))
	case RenameTag:
		return renamedTags(old, now, e)
	case AddRelation:
		made := func(r Relation) bool { return automatic().MatchString(r.Context) }
		meant := count(old.Relations, made) - count(now.Relations, made) // 1 if it replaces an automatic relation
		return len(now.Relations) == len(old.Relations)+1-max(meant, 0) && slices.ContainsFunc(now.Relations, func(r Relation) bool {
			return sameRelation(r, e.relation()) && after.pointsAt(r.Target, e.Target)
		})
	case CloseRelation:
		closed := func(r Relation) bool { return r.Until == e.Until && sameTarget(r.Target, e.Target) }
		return count(now.Relations, closed) == count(old.Relations, closed)+1
	case SetInterval:
		is := func(r Relation) bool { return r.interval() == e.Is && sameTarget(r.Target, e.Target) }
		return e.Was == e.Is || count(now.Relations, is) == count(old.Relations, is)+1
	case RemoveRelation:
		gone := len(old.relationsAt(before, e.Type, e.Target, e.Line))
		return len(now.Relations) == len(old.Relations)-gone &&
			len(now.relations(e.Type, e.Target)) == len(old.relations(e.Type, e.Target))-gone
	case AddObservation:
		want, ok := ParseObservation(FormatObservation(e.Category, e.Text, e.Tags, e.Context))
		return ok && count(now.Observations, want.same) == max(count(old.Observations, want.same), 1)
	case RemoveObservation:
		return len(now.Observations) == len(old.Observations)-1
	case AddEntry:
		same := func(x Entry) bool { return e.equals(x) }
		return count(now.Entries, same) == count(old.Entries, same)+1
	case Retarget:
		return retargeted(before, after, e, sh)
	}
	return true
}

// nestedValue reports whether the values at a dotted key, which refers to an entry of a map,
// are as set, and all others are unchanged.
func nestedValue(old, now *Node, key string, right func(values []string) bool) bool {
	within := func(n *Node) (values []string, others map[string][]string) {
		others = valuesByKey(n)
		for k, v := range others {
			if k == key || strings.HasPrefix(k, key+".") {
				values = append(values, v...)
				delete(others, k)
			}
		}
		return values, others
	}
	_, before := within(old)
	values, after := within(now)
	return right(values) && maps.EqualFunc(before, after, slices.Equal)
}

// renamedTags reports whether the tags of a node are the previous ones with the new name.
// Outer tags may keep the old name, since they are renamed at their source.
func renamedTags(old, now *Node, e RenameTag) bool {
	var want []string
	for _, tag := range old.Tags {
		if slices.ContainsFunc(now.OuterTags, func(o OuterTag) bool { return o.Name == tag }) {
			want = append(want, tag)
			continue
		}
		want = append(want, e.Renamed(tag))
	}
	return sameSet(Tags(want), Tags(now.Tags))
}

// sameSet compares lists without regard to order: a tag in the metadata comes before those
// in the text.
func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func count[T any](items []T, match func(T) bool) int {
	n := 0
	for _, item := range items {
		if match(item) {
			n++
		}
	}
	return n
}

func sameRelation(a, b Relation) bool {
	return FoldName(a.Type) == FoldName(b.Type) && a.From == b.From && a.Until == b.Until && a.Context == b.Context
}

// relation returns the relation that the edit's line should read back as, without target.
func (e AddRelation) relation() Relation {
	kind, _ := RelationType(e.Type)
	return Relation{Type: kind, From: e.From, Until: e.Until, Context: strings.TrimSpace(e.Context)}
}

// pointsAt reports whether a link was written for the target in an edit, which may include
// heading and alias.
func (d *Document) pointsAt(t Target, target string) bool {
	return sameTarget(t, target) || strings.Contains(d.Slice(t.Span), target)
}

// equals reports whether x is the entry that the edit asks for.
func (e AddEntry) equals(x Entry) bool {
	return x.Date == e.Date && x.Source == strings.TrimSpace(e.Source) && x.Text == strings.TrimSpace(e.Text) &&
		(strings.TrimSpace(e.Detail) == "" || slices.Equal(strings.Fields(x.Detail), strings.Fields(e.Detail)))
}

// retargeted reports whether each changed target reads back as given, and a link to a page
// as a link to a page.
func retargeted(before, after *Document, e Retarget, sh shift) bool {
	raw := make(map[int]string)
	for i := range after.Nodes {
		for _, l := range after.Nodes[i].Links {
			raw[l.NameAt.Start] = l.Raw
		}
		for _, r := range after.Nodes[i].Relations {
			raw[r.Target.NameAt.Start] = r.Target.Raw
		}
	}
	files := make(map[int]string)
	for _, t := range after.Files {
		files[t.NameAt.Start] = t.Raw
	}
	for _, t := range before.Files {
		start, _ := sh.span(Span{t.NameAt.Start, t.NameAt.Start})
		if is, ok := files[start.Start]; ok {
			raw[start.Start] = is
		}
	}
	for _, x := range after.Echoes {
		raw[x.Target.NameAt.Start] = x.Target.Raw
	}
	for _, l := range e.Links {
		start, _ := sh.span(Span{l.At.Start, l.At.Start})
		if got, ok := raw[start.Start]; ok && got == l.Raw {
			continue
		}
		// A word that linked to a page has become a wikilink.
		at := strings.Index(l.Raw, "[[") + len("[[")
		if got, ok := raw[start.Start+at]; at < len("[[") || !ok || got+"]]" != l.Raw[at:] {
			return false
		}
	}
	return true
}
