package org

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// citeKey is a key of Org's citations, with the sign before it.
var citeKey = lazyregexp.New("@[\\pL\\pN\\-.:?!`'/*@+|(){}<>&_^$#%~]+")

// citation reads [cite:@key] or [cite/style:see @key p. 3; @other] at i: a link
// for each key.
func (l *linkScanner) citation(i int) (end int, ok bool) {
	if !l.citing || !strings.HasPrefix(l.s[i:], "[cite") {
		return 0, false
	}
	at := i + len("[cite")
	if at < len(l.s) && l.s[at] == '/' {
		for at < len(l.s) && (isAlnum(l.s[at]) || strings.IndexByte("/-_", l.s[at]) >= 0) {
			at++
		}
	}
	if at == len(l.s) || l.s[at] != ':' {
		return 0, false
	}
	n := strings.IndexByte(l.s[at:], ']')
	if n < 0 {
		l.citing = false
		return 0, false
	}
	for _, k := range citeKey().FindAllStringIndex(l.s[at:at+n], -1) {
		l.cite(at+k[0], at+k[1])
	}
	return at + n + 1, true
}

// plainCitation reads cite:key and cite:one,other, as org-ref writes them.
func (l *linkScanner) plainCitation(i int) int {
	if !strings.HasPrefix(l.s[i:], "cite:") {
		return i + 1
	}
	at := i + len("cite:")
	n := strings.IndexAny(l.s[at:], " \t\r\n[]()<>\"")
	if n < 0 {
		n = len(l.s) - at
	}
	for _, key := range strings.FieldsFunc(l.s[at:at+n], func(r rune) bool { return r == ',' || r == ';' }) {
		start := at + strings.Index(l.s[at:], key)
		at = start + len(key)
		if key = strings.TrimRight(strings.TrimLeft(key, "&@"), ".:!?'"); key != "" {
			from := start + strings.Index(l.s[start:], key)
			l.cite(from, from+len(key))
		}
	}
	return i + len("cite:") + n
}

// cite records a citation of the key at [from,to), with its sign or without.
func (l *linkScanner) cite(from, to int) {
	raw := l.s[from:to]
	at := doc.Span{Start: l.base + from, End: l.base + to}
	l.links = append(l.links, doc.Link{Type: kb.PlainLink, Target: doc.Target{
		Kind: doc.OrgCite, Raw: raw, Name: "@" + strings.TrimPrefix(raw, "@"), Span: at, NameAt: at,
	}})
}

// readRefs returns the refs in a value of ROAM_REFS: bibliography keys as
// "@key", in any notation, and addresses unchanged.
func readRefs(words []string) (refs []string) {
	for _, w := range words {
		w = strings.TrimSuffix(strings.TrimPrefix(w, "[["), "]]")
		w, _, _ = strings.Cut(w, "][")
		switch {
		case strings.HasPrefix(w, "[cite"):
			refs = append(refs, citeKey().FindAllString(w, -1)...)
		case strings.HasPrefix(w, "cite:"):
			for _, key := range strings.FieldsFunc(w[len("cite:"):], func(r rune) bool { return r == ',' || r == ';' }) {
				refs = append(refs, "@"+strings.TrimLeft(key, "&@"))
			}
		case strings.HasPrefix(w, "@") && len(w) > 1, strings.Contains(w, "://"):
			refs = append(refs, w)
		}
	}
	return doc.Names(refs)
}
