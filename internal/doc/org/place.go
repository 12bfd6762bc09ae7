package org

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// place reads <<name>> and <<<name>>> at i, a place to which links of this file refer.
func (l *linkScanner) place(i int) (end int, ok bool) {
	start := i + 2
	for start < len(l.s) && l.s[start] == '<' {
		start++
	}
	n := strings.IndexAny(l.s[start:], "<>\n")
	signs := l.s[i:start]
	if n <= 0 || len(signs) > 3 || !strings.HasPrefix(l.s[start+n:], strings.Repeat(">", len(signs))) {
		return 0, false
	}
	name := l.s[start : start+n]
	if isSpace(name[0]) || isSpace(name[n-1]) {
		return 0, false
	}
	l.places = append(l.places, name)
	return start + n + len(signs), true
}

// placeKey returns the common form of equivalent names of a place.
func placeKey(name string) string { return strings.ToLower(oneLine(name)) }

// settleLocal marks the links to places in the same file.
func settleLocal(nodes []doc.Node, places map[string]bool) {
	if len(places) == 0 {
		return
	}
	mark := func(t *doc.Target) { t.Local = t.Kind == doc.WikiLink && places[placeKey(t.Name)] }
	for i := range nodes {
		for k := range nodes[i].Links {
			mark(&nodes[i].Links[k].Target)
		}
		for k := range nodes[i].Relations {
			mark(&nodes[i].Relations[k].Target)
		}
	}
}
