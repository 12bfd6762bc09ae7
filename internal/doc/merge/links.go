package merge

import (
	"cmp"
	"slices"

	"github.com/cairn-kb/cairn/internal/doc"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// OnlyLinks reports whether ours is base with other link targets, and no other change. codec
// reads both as the document at path.
func OnlyLinks(codec doc.Codec, path string, base, ours []byte) bool {
	_, ok := retargeted(cut(codec, path, base), cut(codec, path, ours))
	return ok
}

// Links applies the changes from base to ours, which concern only link targets, to theirs.
// Links that theirs changed or removed stay so. Unlike Merge it compares words, so that
// other text of a line may have changed. ok is false if base and ours differ in more than
// links, or if the new targets do not read back as links.
func Links(codec doc.Codec, path string, base, ours, theirs []byte) (merged []byte, ok bool) {
	b, t := cut(codec, path, base), cut(codec, path, theirs)
	changed, ok := retargeted(b, cut(codec, path, ours))
	if !ok {
		return nil, false
	}
	hunks := compare(b.texts(), t.texts())
	var edit doc.Retarget
	shift := 0 // difference between word numbers of theirs and base
	for i, w := range b.words {
		for len(hunks) > 0 && hunks[0].end <= i {
			shift += (hunks[0].to - hunks[0].from) - (hunks[0].end - hunks[0].start)
			hunks = hunks[1:]
		}
		if !w.target || len(hunks) > 0 && hunks[0].start <= i {
			continue // not a link, or changed by theirs
		}
		if raw, has := changed[i]; has && t.words[i+shift].target {
			edit.Links = append(edit.Links, doc.RetargetOne{At: t.words[i+shift].at, Raw: raw})
		}
	}
	if len(edit.Links) == 0 {
		return theirs, true
	}
	merged, err := codec.Apply(t.Document, "", edit)
	return merged, err == nil
}

// retargeted returns the new targets of the links that ours changed, by word of base; ok is
// false if it changed anything else.
func retargeted(base, ours *pieces) (changed map[int]string, ok bool) {
	if base.Encoding != ours.Encoding || len(base.words) != len(ours.words) {
		return nil, false
	}
	changed = map[int]string{}
	for i, w := range base.words {
		o := ours.words[i]
		switch {
		case w.target != o.target, !w.target && w.text != o.text:
			return nil, false
		case w.text != o.text:
			changed[i] = o.text
		}
	}
	return changed, true
}

// pieces is a document split into words. Link targets are separate words.
type pieces struct {
	*doc.Document
	words []word
}

type word struct {
	text   string
	at     doc.Span
	target bool // of a link
}

func (p *pieces) texts() []string {
	out := make([]string, len(p.words))
	for i, w := range p.words {
		out[i] = w.text
	}
	return out
}

// wordsAndSpace splits text without targets.
var wordsAndSpace = lazyregexp.New(`\s+|\S+`)

func cut(codec doc.Codec, path string, source []byte) *pieces {
	p := &pieces{Document: codec.Parse(path, source)}
	at := 0
	plain := func(end int) {
		for _, s := range wordsAndSpace().FindAllIndex(p.Text[at:end], -1) {
			p.add(doc.Span{Start: at + s[0], End: at + s[1]}, false)
		}
	}
	for _, s := range targetSpans(p.Document) {
		if s.Start < at {
			continue // nested in another one
		}
		plain(s.Start)
		p.add(s, true)
		at = s.End
	}
	plain(len(p.Text))
	return p
}

func (p *pieces) add(at doc.Span, target bool) {
	p.words = append(p.words, word{p.Slice(at), at, target})
}

// targetSpans returns the targets of links and relations in order.
func targetSpans(d *doc.Document) []doc.Span {
	var out []doc.Span
	for i := range d.Nodes {
		for _, l := range d.Nodes[i].Links {
			out = append(out, l.NameAt)
		}
		for _, r := range d.Nodes[i].Relations {
			out = append(out, r.Target.NameAt)
		}
	}
	for _, x := range d.Echoes {
		out = append(out, x.Name, x.Target.NameAt)
	}
	slices.SortFunc(out, func(a, b doc.Span) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	return slices.Compact(out)
}
