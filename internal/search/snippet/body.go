package snippet

import "bytes"

// bodyStart returns where the text of a document begins, behind YAML
// frontmatter, or an Org file's property drawer and keywords.
func bodyStart(document []byte) int {
	at := 0
	if bytes.HasPrefix(document, []byte("\ufeff")) {
		at = len("\ufeff")
	}
	if line, next := lineAt(document, at); string(line) == "---" {
		for next < len(document) {
			line, next = lineAt(document, next)
			if s := string(line); s == "---" || s == "..." {
				return next
			}
		}
		return at // it never ends, so it is text
	}
	for at < len(document) {
		line, next := lineAt(document, at)
		switch {
		case len(line) == 0, bytes.HasPrefix(line, []byte("#+")) && bytes.IndexByte(line, ':') > 0:
		case bytes.EqualFold(line, []byte(":PROPERTIES:")):
			end, ok := drawerEnd(document, next)
			if !ok {
				return at
			}
			next = end
		default:
			return at
		}
		at = next
	}
	return at
}

// drawerEnd returns the end of the drawer with its first line at a position.
func drawerEnd(document []byte, at int) (int, bool) {
	for at < len(document) {
		line, next := lineAt(document, at)
		if bytes.EqualFold(line, []byte(":END:")) {
			return next, true
		}
		if len(line) == 0 || line[0] != ':' {
			return 0, false
		}
		at = next
	}
	return 0, false
}

// lineAt returns the line at a place without white space at its end, and where
// the next one begins.
func lineAt(document []byte, at int) (line []byte, next int) {
	line, next = document[at:], len(document)
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line, next = line[:i], at+i+1
	}
	return bytes.TrimRight(line, " \t\r"), next
}
