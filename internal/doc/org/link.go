package org

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// labels are the relation labels that may precede a link, with their types.
var labels = map[string]string{
	"SUPERSEDES": "supersedes", "CONTRADICTS": "contradicts", "RELATES_TO": "relates_to",
	"IMPLEMENTS": "implements", "DERIVED_FROM": "derived_from",
}

// otherSchemes are Org's link types that do not link to pages.
var otherSchemes = map[string]bool{
	"http": true, "https": true, "ftp": true, "mailto": true, "news": true, "tel": true, "sms": true,
	"doi": true, "elisp": true, "shell": true, "help": true, "info": true, "man": true, "gnus": true,
	"bbdb": true, "irc": true, "rmail": true, "mhe": true, "eww": true, "w3m": true, "docview": true,
	"pdf": true, "pdfview": true, "attachment": true, "download": true, "coderef": true,
	"notmuch": true, "mu4e": true, "zotero": true, "data": true, "magnet": true, "git": true, "ssh": true,
}

// scanLinks returns the references in ordinary text in order; those that are not links to
// pages have an empty Kind. base is the offset of s in the document.
func scanLinks(s string, base int) []doc.Link {
	return scan(s, base, false).links
}

// scan reads the references and places in ordinary text, and optionally links to blocks of
// an outline.
func scan(s string, base int, blocks bool) *linkScanner {
	l := &linkScanner{s: s, base: base, blocks: blocks, closing: true, citing: true, verbatim: newVerbatim(s), fragments: newFragments(s)}
	for i := 0; i < len(s); {
		i = l.step(i)
	}
	return l
}

type linkScanner struct {
	s         string
	base      int
	blocks    bool // "((UUID))" is a link
	closing   bool // "]]" may still follow
	citing    bool // "]" may still follow
	verbatim  verbatim
	fragments fragments
	links     []doc.Link
	places    []string // names of <<places>>
	marks     []doc.Mark
}

// step reads the construct at i and returns the position to continue at. It looks ahead only
// over bytes that it then consumes, or records that the search failed.
func (l *linkScanner) step(i int) int {
	c := l.s[i]
	switch c {
	case 's', 'c', '@', '{', '$', '\\':
		if end := l.fragments.end(i); end > 0 {
			return end
		}
	}
	switch c {
	case '[':
		if end, ok := l.citation(i); ok {
			return end
		}
		return l.bracket(i)
	case '<':
		if strings.HasPrefix(l.s[i:], "<<") {
			if end, ok := l.place(i); ok {
				return end
			}
		}
		return l.angle(i)
	case '(':
		if end, ok := l.block(i); ok {
			return end
		}
	case '=', '~':
		if end := l.verbatim.end(i); end > 0 {
			return end
		}
	case 'h':
		if i == 0 || !isWordByte(l.s[i-1]) {
			return l.address(i)
		}
	case 'f', 'i':
		if i == 0 || !isWordByte(l.s[i-1]) {
			return l.plain(i)
		}
	case 'c':
		if i == 0 || !isWordByte(l.s[i-1]) {
			return l.plainCitation(i)
		}
	}
	return i + 1
}

// bracket reads [[target]] or [[target][text]].
func (l *linkScanner) bracket(i int) int {
	if !l.closing || !strings.HasPrefix(l.s[i:], "[[") {
		return i + 1
	}
	end := targetEnd(l.s, i+2)
	if end <= i+2 || end+1 >= len(l.s) || l.s[end] != ']' {
		return i + 1
	}
	stop, text := end+2, ""
	switch l.s[end+1] {
	case ']':
	case '[':
		n := strings.Index(l.s[end+2:], "]]")
		if n < 0 {
			l.closing = false
			return i + 1
		}
		text = oneLine(l.s[end+2 : end+2+n])
		stop = end + 2 + n + 2
	default:
		return i + 1
	}
	l.add(i, stop, i+2, end, text)
	l.mark(i, stop, end, text != "")
	return stop
}

// targetEnd returns the end of a link's target that starts at i: the next bracket that is
// not escaped.
func targetEnd(s string, i int) int {
	for odd := false; i < len(s); i++ {
		switch s[i] {
		case '\\':
			odd = !odd
			continue
		case '[', ']':
			if !odd {
				return i
			}
		}
		odd = false
	}
	return i
}

// angle reads <type:target>.
func (l *linkScanner) angle(i int) int {
	n := strings.IndexAny(l.s[i+1:], "<>\n")
	if n < 0 {
		n = len(l.s) - i - 1
	}
	end := i + 1 + n
	if end == len(l.s) || l.s[end] != '>' || !hasPageScheme(l.s[i+1:end]) {
		return i + 1
	}
	l.add(i, end+1, i+1, end, "")
	l.note(i, end+1, doc.Address)
	return end + 1
}

// plain reads file:path or id:UUID without brackets.
func (l *linkScanner) plain(i int) int {
	if !hasPageScheme(l.s[i:min(len(l.s), i+len("file+emacs:"))]) {
		return i + 1
	}
	n := strings.IndexAny(l.s[i:], " \t\n<>[]()\"|")
	if n < 0 {
		n = len(l.s) - i
	}
	end := i + len(strings.TrimRight(l.s[i:i+n], ".,;:!?'*/_=~"))
	if raw := l.s[i:end]; strings.HasPrefix(raw, "id:") && !isUUID(raw[len("id:"):]) {
		return i + n
	}
	l.add(i, end, i, end, "")
	l.note(i, end, doc.Address)
	return i + n
}

func hasPageScheme(s string) bool {
	scheme, _, ok := strings.Cut(s, ":")
	return ok && (scheme == "id" || scheme == "file" || scheme == "file+sys" || scheme == "file+emacs")
}

// add records the link at [start,stop) with its target at [from,to).
func (l *linkScanner) add(start, stop, from, to int, text string) {
	if stop <= start || to <= from {
		return
	}
	t, ok := l.blockTarget(from, to)
	if !ok {
		t = readTarget(l.s[from:to], l.base+from)
	}
	t.Text = text
	t.Span = doc.Span{Start: l.base + start, End: l.base + stop}
	l.links = append(l.links, doc.Link{Target: t, Type: l.label(start)})
}

// label returns the type for a label before i.
func (l *linkScanner) label(i int) string {
	before := strings.TrimRight(l.s[max(0, i-maxName):i], " \t\r\n")
	before = strings.TrimSuffix(before, ":")
	if n := len(before); n == 0 || before[n-1] < 'A' || before[n-1] > 'Z' {
		return kb.PlainLink
	}
	for label, kind := range labels {
		if !strings.HasSuffix(before, label) {
			continue
		}
		if n := len(before) - len(label); n == 0 || !isWordByte(before[n-1]) {
			return kind
		}
	}
	return kb.PlainLink
}

// readTarget parses the target of a link at the given offset. Its kind is empty if it is not
// a link to a page. The scheme is not part of Raw: renames change the path or the id.
func readTarget(s string, at int) doc.Target {
	scheme, rest, hasScheme := strings.Cut(s, ":")
	scheme = strings.ToLower(scheme)
	switch {
	case hasScheme && scheme == "id":
		return anchored(doc.OrgID, rest, at+len(s)-len(rest))
	case hasScheme && (scheme == "file" || scheme == "file+sys" || scheme == "file+emacs"):
		return fileTarget(rest, at+len(s)-len(rest))
	case hasScheme && scheme == "cite":
		key := strings.TrimLeft(rest, "&@")
		return doc.Target{Kind: doc.OrgCite, Raw: key, Name: "@" + key, NameAt: doc.Span{Start: at + len(s) - len(key), End: at + len(s)}}
	case hasScheme && scheme+":" == doc.DenoteScheme:
		return anchored(doc.OrgCite, s, at)
	case hasScheme && scheme == "roam":
		return titleTarget(rest, at+len(s)-len(rest))
	case hasScheme && (otherSchemes[scheme] || strings.HasPrefix(rest, "//")):
		return doc.Target{Raw: s, Name: s}
	case isPath(s):
		return fileTarget(s, at)
	case s[0] == '*' || s[0] == '#' || s[0] == '(':
		return doc.Target{Raw: s, Name: s} // a place in this file
	}
	return titleTarget(s, at)
}

func isPath(s string) bool {
	return strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") || strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~/")
}

// anchored reads name::search.
func anchored(kind doc.LinkKind, s string, at int) doc.Target {
	name, search, _ := strings.Cut(s, "::")
	t := doc.Target{Kind: kind, Raw: name, Name: cleanName(name), NameAt: doc.Span{Start: at, End: at + len(name)}}
	switch search = unescapeLink(search); {
	case strings.HasPrefix(search, "*"):
		t.Heading = strings.TrimSpace(search[1:])
	case strings.HasPrefix(search, "#"):
		t.Block = search[1:]
	case !strings.HasPrefix(search, "/") && strings.Trim(search, "0123456789") != "":
		t.Heading = strings.TrimSpace(search)
	}
	return t
}

func fileTarget(s string, at int) doc.Target {
	t := anchored(doc.OrgFile, s, at)
	if !doc.IsPage(t.Name) {
		t.Kind = ""
	}
	return t
}

func titleTarget(s string, at int) doc.Target {
	t := doc.Target{Kind: doc.WikiLink, Raw: s, Name: cleanName(s), NameAt: doc.Span{Start: at, End: at + len(s)}}
	if t.Name == "" {
		t.Kind = ""
	}
	return t
}

// cleanName decodes a target: it removes escapes and converts white space to one blank.
func cleanName(s string) string { return oneLine(unescapeLink(s)) }

// oneLine replaces each run of white space by one blank, and removes it at the ends.
func oneLine(s string) string {
	if !strings.ContainsAny(s, "\t\r\n") && !strings.Contains(s, "  ") {
		return strings.Trim(s, " ")
	}
	return strings.Join(strings.Fields(s), " ")
}

// unescapeLink decodes Org's escaping: of a run of backslashes before a bracket or the end,
// half remain.
func unescapeLink(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			i++
			continue
		}
		n := i
		for n < len(s) && s[n] == '\\' {
			n++
		}
		run := n - i
		if n == len(s) || s[n] == '[' || s[n] == ']' {
			run /= 2
		}
		b.WriteString(s[i : i+run])
		i = n
	}
	return b.String()
}

// escapeLink is the inverse of unescapeLink.
func escapeLink(s string) string {
	var b strings.Builder
	run := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] == '\\' {
			run++
			continue
		}
		bracket := i < len(s) && (s[i] == '[' || s[i] == ']')
		if bracket || i == len(s) {
			b.WriteString(strings.Repeat(`\`, 2*run))
		} else {
			b.WriteString(strings.Repeat(`\`, run))
		}
		run = 0
		if bracket {
			b.WriteByte('\\')
		}
		if i < len(s) {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			return false
		}
	}
	return true
}

func isWordByte(c byte) bool { return c == '_' || c >= 0x80 || isAlnum(c) }

// plainText returns markup as a reader sees it: links as their text, without statistics
// cookies, white space as one blank.
func plainText(markup []byte) string {
	s := string(markup)
	if strings.Contains(s, "[") {
		var b strings.Builder
		at := 0
		for _, l := range scanLinks(s, 0) {
			b.WriteString(dropCookies(s[at:l.Span.Start]))
			switch {
			case l.Text != "":
				b.WriteString(l.Text)
			default:
				b.WriteString(l.Name)
			}
			at = l.Span.End
		}
		b.WriteString(dropCookies(s[at:]))
		s = b.String()
	}
	return oneLine(s)
}

// dropCookies removes [1/3] and [33%].
func dropCookies(s string) string {
	if !strings.Contains(s, "[") {
		return s
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '[')
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i:]
		if n := cookieLength(s); n > 0 {
			s = s[n:]
		} else {
			b.WriteByte('[')
			s = s[1:]
		}
	}
}

// cookieLength returns the length of a statistics cookie at the start of s.
func cookieLength(s string) int {
	i := 1
	for i < len(s) && i < 12 && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	switch {
	case strings.HasPrefix(s[i:], "%]"):
		return i + 2
	case i == len(s) || s[i] != '/':
		return 0
	}
	for i++; i < len(s) && i < 24 && s[i] >= '0' && s[i] <= '9'; i++ {
	}
	if i < len(s) && s[i] == ']' {
		return i + 1
	}
	return 0
}
