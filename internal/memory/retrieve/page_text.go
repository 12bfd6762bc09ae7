package retrieve

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/turn"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

// pageText is the text that belongs to a page: neither its metadata nor the pages
// nested in it, which a search may have shut out, and answers by themselves.
type pageText struct {
	d     *doc.Document
	node  int // index of n in d.Nodes
	n     *doc.Node
	spans []doc.Span // of d.Text, ascending and apart

	shown []byte // its lines as a reader sees them, without relations that cairn wrote; nil until they are read
}

// keptBytes is the size of the largest document that a search keeps until it ends.
const keptBytes = 1 << 20

// textKey names a document's text and how it is parsed.
type textKey struct {
	hash   kb.Hash
	path   string
	syntax kb.Syntax
}

// pageText reads the text of a page, without credentials. A document is read once for all of its
// pages, and for all that a search asks of them.
func (s *Search) pageText(ctx context.Context, p kb.Page) (*pageText, error) {
	if o := s.texts[p.Row]; o != nil {
		return o, nil
	}
	key := textKey{p.Hash, p.Path, p.Syntax}
	d := s.documents[key]
	if d == nil {
		if err := turn.Check(ctx, p.Size); err != nil {
			return nil, err
		}
		source, err := s.tx.History().Bytes(ctx, p.Hash)
		if err != nil {
			return nil, err
		}
		text, _ := doc.Decode(source)
		d = doc.ForNote(s.engine.Codecs, p.Syntax, p.Path).Parse(p.Path, secrets.Hide(text))
	}
	o := newPageText(d, nodeOf(d, p))
	if len(d.Text) <= keptBytes {
		s.documents[key], s.texts[p.Row] = d, o
	}
	return o, nil
}

// readingLines are the lines of the page's document as a reader sees them, without relations
// that cairn wrote.
func (o *pageText) readingLines() []byte {
	if o.shown == nil {
		o.shown = o.withoutOwnRelations(o.lines())
	}
	return o.shown
}

func newPageText(d *doc.Document, node int) *pageText {
	o := &pageText{d: d, node: node, n: &d.Nodes[node]}
	for _, s := range d.Own(node, o.n.Span) {
		for _, part := range []doc.Span{
			{Start: s.Start, End: min(s.End, o.n.Head.Start)},
			{Start: max(s.Start, o.n.Head.End), End: s.End},
		} {
			if part.Len() > 0 {
				o.spans = append(o.spans, part)
			}
		}
	}
	return o
}

// lines returns the text as a reader sees it, with as many lines as its document
// has: those that are not the page's are empty.
func (o *pageText) lines() []byte { return o.everyLine(o.d.ReadingLines) }

// rawLines is lines as they are written.
func (o *pageText) rawLines() []byte {
	return o.everyLine(func(s doc.Span) []byte { return o.d.Text[s.Start:s.End] })
}

// ownRelations are the types of the relations that cairn writes by itself, by kb.NameKey.
// Without a context that somebody gave them they say nothing about the page.
var ownRelations = map[string]bool{
	"related": true, "relates-to": true, "source": true, "related-to": true, "supersedes": true, "contradicts": true, "compacted-into": true, "superseded-by": true,
}

// ownSections are the headings under which cairn writes links by itself.
var ownSections = []string{"Relations", "Compacted from"}

// withoutOwnRelations blanks those of the lines of the document that are relations which
// cairn wrote, and headings with nothing else below them.
func (o *pageText) withoutOwnRelations(lines []byte) []byte {
	var hidden []doc.Span
	hide := func(s doc.Span) { hidden = append(hidden, s) }
	for _, r := range o.n.Relations {
		if ownRelations[kb.NameKey(r.Type)] && (r.Context == "" || doc.IsAutomatic(r.Context)) {
			hide(r.Span)
		}
	}
	for _, h := range o.n.Headings {
		if !slices.ContainsFunc(ownSections, func(name string) bool { return strings.EqualFold(name, h.Text) }) {
			continue
		}
		rest := 0
		for at := h.Line.End; at < h.Section.End; {
			line := doc.Span{Start: at, End: doc.LineEnd(o.d.Text, at)}
			at = line.End
			inside := slices.ContainsFunc(hidden, func(s doc.Span) bool { return s.Contains(line) })
			linked := h.Text == ownSections[1] && slices.ContainsFunc(o.n.Links, func(l doc.Link) bool { return line.Contains(l.Span) })
			if linked {
				hide(line)
			}
			if !inside && !linked && !doc.Blank(o.d.Text[line.Start:line.End]) {
				rest++
			}
		}
		if rest == 0 {
			hide(h.Line)
		}
	}
	if len(hidden) == 0 {
		return lines
	}
	blank := map[int]bool{}
	for _, s := range hidden {
		first := doc.LineAt(o.d.Text, s.Start)
		for n := range 1 + bytes.Count(bytes.TrimRight(o.d.Text[s.Start:s.End], "\r\n"), []byte("\n")) {
			blank[first+n] = true
		}
	}
	out, n := make([]byte, 0, len(lines)), 0
	for line := range bytes.Lines(lines) {
		if n++; blank[n] {
			line = line[len(bytes.TrimRight(line, "\r\n")):]
		}
		out = append(out, line...)
	}
	return out
}

func (o *pageText) everyLine(text func(doc.Span) []byte) []byte {
	if all := (doc.Span{End: len(o.d.Text)}); len(o.spans) == 1 && o.spans[0] == all {
		return text(all)
	}
	out, at := make([]byte, 0, len(o.d.Text)), 0
	skip := func(to int) {
		for range bytes.Count(o.d.Text[at:to], []byte("\n")) {
			out = append(out, '\n')
		}
	}
	for _, s := range o.spans {
		skip(s.Start)
		out = append(out, text(s)...)
		at = s.End
	}
	skip(len(o.d.Text))
	return out
}

// own returns the parts of a span that are the page's.
func (o *pageText) own(span doc.Span) (parts []doc.Span) {
	for _, s := range o.spans {
		if from, to := max(s.Start, span.Start), min(s.End, span.End); from < to {
			parts = append(parts, doc.Span{Start: from, End: to})
		}
	}
	return parts
}

// within returns what of a span is the page's, as a reader sees it.
func (o *pageText) within(span doc.Span) string { return o.d.Reading(o.own(span)...) }

// Truth returns the truth of a page with the document source, as it is written,
// without credentials and without the pages nested in it.
func Truth(codecs []doc.Codec, p kb.Page, source []byte) string {
	d := doc.ForNote(codecs, p.Syntax, p.Path).Parse(p.Path, source)
	d.Text = secrets.Hide(d.Text)
	return newPageText(d, nodeOf(d, p)).truth(len(d.Text))
}

// beginsBytes is how much of a truth is searched for what its page is about.
const beginsBytes = 1 << 20

// truth is the truth as it is written, of a longer one the first bytes.
func (o *pageText) truth(most int) string {
	var out strings.Builder
	for _, part := range o.own(o.n.Truth) {
		out.Write(o.d.Text[part.Start:min(part.End, part.Start+most-out.Len())])
	}
	return strings.TrimSpace(out.String())
}

// Begins says in a line what a page is about: its summary, else the first sentence of
// its text.
func Begins(p kb.Page, text string) string {
	if p.Summary != "" {
		return space.BeginOf(p.Summary)
	}
	return space.BeginOf(Prose(text))
}

// Prose returns a text from its first line of prose on: below headings, properties, rules,
// comments, relations, tables and blocks of code. "" for a text without any.
func Prose(text string) string {
	text = doc.WithoutComments(text)
	until := "" // what ends the block of code that the lines are in
	for at := 0; at < len(text); {
		rest := text[at:]
		end, _, _ := strings.Cut(rest, "\n")
		at += len(end) + 1
		line := strings.TrimSpace(end)
		lower := strings.ToLower(line[:min(len(line), len("#+begin_"))])
		switch {
		case until != "":
			if strings.HasPrefix(strings.ToLower(line), until) {
				until = ""
			}
			continue
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			until = line[:3]
			continue
		case lower == "#+begin_":
			until = "#+end_"
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "*") || strings.HasPrefix(line, ":") || strings.HasPrefix(line, "---") || strings.HasPrefix(line, "|") {
			continue // headings, properties, rules, tables
		}
		if before, _, linked := strings.Cut(strings.TrimLeft(line, "-+ "), "[["); strings.HasPrefix(line, "<!--") || linked && line[0] == '-' && isRelationType(before) {
			continue
		}
		return rest
	}
	return ""
}

func isRelationType(phrase string) bool {
	_, ok := doc.RelationType(phrase)
	return ok
}
