package org

import (
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// writtenKeys maps reported keys to their names in a new drawer line.
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

// set sets a key to the result of write for its old text.
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

// setValue is doc.Keys.Set; removing a value also removes the blanks before it.
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

// addProperty adds a line to the drawer, which is created if it is missing.
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

// gap returns the number of blanks that align a value with the one in the drawer's last
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

// removeProperty removes every line of a key, and the drawer if it becomes empty.
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

// commentsEnd returns the end of the comment lines at the start of the file: Emacs reads a
// mode line only in the first line.
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

// titlePlace returns the position for a title: before the other keywords, after the drawer.
func (p plan) titlePlace() int {
	switch {
	case len(p.keywords) > 0:
		return p.keywords[0].line.Start
	case p.drawer != nil:
		return p.drawer.span.End
	}
	return p.commentsEnd()
}
