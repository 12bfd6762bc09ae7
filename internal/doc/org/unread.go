package org

import (
	"path"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// note marks [start,end) of the run.
func (l *linkScanner) note(start, end int, kind doc.MarkKind) {
	if start < end {
		l.marks = append(l.marks, doc.Mark{Span: doc.Span{Start: l.base + start, End: l.base + end}, Kind: kind})
	}
}

// mark marks the link in brackets at [start,stop), with a target that ends at end, except
// for its text. Without a text, readers see the target: a title is words, an id or an
// address is not, and an image is displayed.
func (l *linkScanner) mark(start, stop, end int, hasText bool) {
	target := l.s[start+2 : end]
	switch {
	case hasText:
		l.note(start, end+2, doc.Unseen)
		l.note(stop-2, stop, doc.Unseen)
	case isImage(target):
		l.note(start, stop, doc.Unseen)
	case strings.ContainsAny(target, ":/"):
		l.note(start, start+2, doc.Unseen)
		l.note(start+2, end, doc.Address)
		l.note(end, stop, doc.Unseen)
	default:
		l.note(start, start+2, doc.Unseen)
		l.note(end, stop, doc.Unseen)
	}
}

// images are the extensions of files that Org displays instead of a link.
var images = map[string]bool{".png": true, ".jpg": true, ".jpeg": true, ".gif": true, ".svg": true, ".webp": true, ".bmp": true}

func isImage(target string) bool { return images[strings.ToLower(path.Ext(target))] }

// address marks a URL without brackets and returns the position to continue at.
func (l *linkScanner) address(i int) int {
	rest := l.s[i:]
	if !strings.HasPrefix(rest, "https://") && !strings.HasPrefix(rest, "http://") {
		return i + 1
	}
	n := strings.IndexAny(rest, " \t\r\n<>[]()\"|")
	if n < 0 {
		n = len(rest)
	}
	l.note(i, i+len(strings.TrimRight(rest[:n], ".,;:!?'*/_=~")), doc.Address)
	return i + n
}
