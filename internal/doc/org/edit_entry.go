package org

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// addEntry adds a timeline entry before the first one that is not newer.
func (p plan) addEntry(e doc.AddEntry) ([]doc.Splice, error) {
	e, err := doc.CheckEntry(p.n, e)
	if err != nil {
		return nil, err
	}
	line := p.timeline[p.node]
	if line < 0 {
		text := p.topHeading(timelineTitle) + "\n\n" + writeEntry("- ", "", e)
		return p.apart([]doc.Splice{p.d.PutEnd(p.n.Truth, text)}), nil
	}
	if len(p.n.Entries) == 0 {
		h := p.headings[line]
		return []doc.Splice{p.d.PutStart(doc.Span{Start: h.head.End, End: h.end}, writeEntry("- ", "", e))}, nil
	}
	place := doc.EntryPlace(p.n, e.Date)
	at := p.n.Entries[min(place, len(p.n.Entries)-1)].Span
	bullet, indent := p.style(at.Start)
	if place == len(p.n.Entries) {
		return []doc.Splice{p.keys().Insert(at.End, writeEntry(bullet, indent, e))}, nil
	}
	return []doc.Splice{p.keys().Insert(at.Start, writeEntry(bullet, indent, e))}, nil
}

// style returns the start of the entry at pos: its bullet or stars with a blank, and its
// indentation.
func (p plan) style(pos int) (bullet, indent string) {
	end, _ := lineEnd(p.text, pos)
	line := p.text[pos:end]
	if n := stars(line); n > 0 {
		return strings.Repeat("*", n) + " ", ""
	}
	rest := trimLeft(line)
	indent = string(line[:len(line)-len(rest)])
	if rest[0] == '+' {
		return "+ ", indent
	}
	return "- ", indent
}

// writeEntry writes an entry with its detail, without the last line end. A date without an
// exact Org timestamp is written verbatim.
func writeEntry(bullet, indent string, e doc.AddEntry) string {
	text := " — " + e.Text
	if e.Source != "" {
		text = " | " + e.Source + " — " + e.Text
	}
	date, ok := stamp(e.Date)
	if back, _ := readEntry(date + text); !ok || back.Date != e.Date {
		date = e.Date
	}
	var b strings.Builder
	b.WriteString(indent + bullet + date + text)
	if e.Detail == "" {
		return b.String()
	}
	for _, l := range strings.Split(doc.WithEOL(e.Detail, "\n"), "\n") {
		b.WriteString("\n")
		if strings.TrimSpace(l) != "" {
			b.WriteString(indent + "  " + l)
		}
	}
	return b.String()
}
