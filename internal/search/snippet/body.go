package snippet

import (
	"bytes"
	"encoding/json"
)

// bodyStart returns the start of a document's text, after frontmatter in YAML, TOML or JSON,
// or an Org file's property drawer and keywords.
func bodyStart(document []byte) int {
	at := 0
	if bytes.HasPrefix(document, []byte("\ufeff")) {
		at = len("\ufeff")
	}
	line, next := lineAt(document, at)
	switch fence := string(line); {
	case fence == "---" || fence == "+++":
		for next < len(document) {
			line, next = lineAt(document, next)
			if s := string(line); s == fence || fence == "---" && s == "..." {
				return next
			}
		}
		return at // without an end it is text
	case len(line) > 0 && line[0] == '{':
		return at + objectLength(document[at:])
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

// objectLength returns the length of the JSON object at the start of a text, with the rest
// of its last line; 0 if there is more on that line or no such object.
func objectLength(text []byte) int {
	dec := json.NewDecoder(bytes.NewReader(text))
	var object map[string]json.RawMessage
	if dec.Decode(&object) != nil {
		return 0
	}
	end := int(dec.InputOffset())
	rest, next := lineAt(text, end)
	if len(rest) > 0 {
		return 0
	}
	return next
}

// drawerEnd returns the end of the drawer that starts at a position.
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

// lineAt returns the line at a position without trailing white space, and the start of the
// next line.
func lineAt(document []byte, at int) (line []byte, next int) {
	line, next = document[at:], len(document)
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line, next = line[:i], at+i+1
	}
	return bytes.TrimRight(line, " \t\r"), next
}
