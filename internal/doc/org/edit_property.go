package org

import (
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// writtenKeys gives reported keys the name that they get in a new drawer
// line.
var writtenKeys = map[string]string{"aliases": "ROAM_ALIASES"}

func (p plan) setProperty(key, value string) ([]doc.Splice, error) {
	if err := doc.OneLine("a property", key+value); err != nil {
		return nil, err
	}
	if key == "tags" {
		return p.setTags(doc.Tags(doc.SplitTags(value)))
	}
	return p.set(key, func(old string) string {
		if listKeys[key] {
			return writeList(key, old, []string{value})
		}
		return stampLike(old, value)
	})
}

func (p plan) setList(key string, values []string) ([]doc.Splice, error) {
	if err := doc.OneLine("a property", key+strings.Join(values, "")); err != nil {
		return nil, err
	}
	if key == "tags" {
		return p.setTags(values)
	}
	return p.set(key, func(old string) string { return writeList(key, old, values) })
}

// set gives a key the text that write makes from its old one.
func (p plan) set(key string, write func(old string) string) ([]doc.Splice, error) {
	if strings.TrimSpace(key) == "" {
		return nil, kb.Errorf(kb.Usage, "a property has a key")
	}
	if len(key) > maxName || strings.ContainsAny(key, ": \t+") || key == "end" || key == "properties" {
		return nil, kb.Errorf(kb.Invalid, "an Org property cannot have this key").
			WithHint("use letters, digits, hyphens and underscores")
	}
	named := p.keys().Named(key)
	if len(named) == 0 {
		return p.addProperty(key, write(""))
	}
	return p.setValue(named, write(p.d.Slice(named[0].Value))), nil
}

// keys returns the node's metadata lines.
func (p plan) keys() doc.Keys {
	return doc.Keys{Text: p.text, EOL: p.d.EOL, Gap: " ", All: p.fields(p.node)}
}

// setValue is doc.Keys.Set; the blanks before a value that is removed go with it.
func (p plan) setValue(named []doc.Key, value string) []doc.Splice {
	keys := p.keys()
	if value == "" {
		keys.Gap = ""
		named = slices.Clone(named)
		at := &named[0].Value
		for p.text[at.Start-1] == ' ' || p.text[at.Start-1] == '\t' {
			at.Start--
		}
	}
	return keys.Set(named, value)
}

// addProperty adds a line to the drawer, which is made when missing.
func (p plan) addProperty(key, value string) ([]doc.Splice, error) {
	if key == "title" && p.node == 0 {
		return []doc.Splice{p.keys().Insert(p.titlePlace(), "#+title: "+value)}, nil
	}
	name, ok := writtenKeys[key]
	if !ok {
		name = strings.ToUpper(key)
	}
	drawer, broken := p.drawer, p.broken
	if root := p.roots[p.node]; root >= 0 {
		drawer, broken = p.headings[root].drawer, p.headings[root].broken
	}
	switch {
	case broken:
		return nil, kb.Errorf(kb.Invalid, "the property drawer cannot be read").
			WithHint("give it an :END: line and lines of the form :KEY: value")
	case drawer == nil:
		line := strings.TrimRight(":"+name+": "+value, " ")
		return []doc.Splice{p.keys().Insert(p.commentsEnd(), ":PROPERTIES:\n"+line+"\n:END:")}, nil
	}
	last := p.d.Slice(drawer.end)
	line := last[:strings.IndexByte(last, ':')] + ":" + name + ":"
	if value != "" {
		line += strings.Repeat(" ", p.gap(drawer, len(line))) + value
	}
	return []doc.Splice{p.keys().Insert(drawer.end.Start, line)}, nil
}

// gap returns how many blanks align a value with the one in the drawer's last
// line.
func (p plan) gap(d *drawer, width int) int {
	if len(d.lines) == 0 {
		return 1
	}
	last := d.lines[len(d.lines)-1]
	if colon := last.keyAt.End + 1; last.value.Start-colon < 2 || last.value.Len() == 0 {
		return 1
	}
	return max(1, last.value.Start-last.line.Start-width)
}

// removeProperty removes every line of a key, and a drawer that would be
// empty.
func (p plan) removeProperty(key string) ([]doc.Splice, error) {
	if key == "tags" && p.node > 0 {
		return p.setTags(nil)
	}
	drawer := p.drawer
	if root := p.roots[p.node]; root >= 0 {
		drawer = p.headings[root].drawer
	}
	splices := p.keys().Remove(key)
	gone := 0
	for _, s := range splices {
		if drawer != nil && drawer.span.Contains(s.Span) {
			gone++
		}
	}
	if gone == 0 || gone < len(drawer.lines) {
		return splices, nil
	}
	rest := []doc.Splice{{Span: drawer.span}}
	for _, s := range splices {
		if !drawer.span.Contains(s.Span) {
			rest = append(rest, s)
		}
	}
	return rest, nil
}

// commentsEnd returns where the comment lines that open the file end: Emacs
// reads a mode line only in the first one.
func (p plan) commentsEnd() int {
	pos := 0
	for pos < len(p.text) {
		end, next := lineEnd(p.text, pos)
		if !isComment(p.text[pos:end]) {
			break
		}
		pos = next
	}
	return pos
}

// titlePlace returns where a title goes: before the other keywords, after the
// drawer.
func (p plan) titlePlace() int {
	switch {
	case len(p.keywords) > 0:
		return p.keywords[0].line.Start
	case p.drawer != nil:
		return p.drawer.span.End
	}
	return p.commentsEnd()
}
