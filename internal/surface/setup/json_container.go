package setup

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/cairn-kb/cairn/internal/kb"
)

// container is an object or an array as spans of the text.
type container struct {
	open  int // behind the opening bracket
	items []item
}

// item is a member of an object or an element of an array.
type item struct {
	key   string // "" in an array
	start int    // of the key, or of the value in an array
	value hujson.Value
}

func objectOf(v hujson.Value, keys []string) (container, error) {
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		return container{}, notA("object", keys)
	}
	c := container{open: v.StartOffset + 1}
	for _, m := range obj.Members {
		name, _ := m.Name.Value.(hujson.Literal) // a name is always one
		c.items = append(c.items, item{name.String(), m.Name.StartOffset, m.Value})
	}
	return c, nil
}

func arrayOf(v hujson.Value, keys []string) (container, error) {
	arr, ok := v.Value.(*hujson.Array)
	if !ok {
		return container{}, notA("array", keys)
	}
	c := container{open: v.StartOffset + 1}
	for _, e := range arr.Elements {
		c.items = append(c.items, item{start: e.StartOffset, value: e})
	}
	return c, nil
}

func notA(what string, keys []string) error {
	name := "the file"
	if len(keys) > 0 {
		name = strings.Join(keys, ".")
	}
	return kb.Errorf(kb.Invalid, "%s does not hold a JSON %s", name, what)
}

// find returns the last item with a key, the one that readers of JSON take,
// or -1.
func (c container) find(key string) int {
	for i := len(c.items) - 1; i >= 0; i-- {
		if c.items[i].key == key {
			return i
		}
	}
	return -1
}

// put inserts compact JSON as the first item. Being first, it needs one comma
// at most, directly after it, so that take finds exactly the bytes that put
// wrote, with any other content.
func (c container) put(text []byte, compact string) []byte {
	eol, unit := lineEnd(text), indentUnit(text)
	if len(c.items) > 0 {
		gap := text[c.open:c.items[0].start]
		nl := bytes.LastIndexByte(gap, '\n')
		if nl < 0 {
			return insert(text, c.open, compact+",")
		}
		indent := indentOf(gap[nl+1:])
		return insert(text, c.open, eol+indent+spread(compact, indent, unit, eol)+",")
	}
	outer := c.lineIndent(text)
	indent := outer + unit
	return insert(text, c.open, eol+indent+spread(compact, indent, unit, eol)+eol+outer)
}

// take removes an item together with the white space before it and its comma.
func (c container) take(text []byte, n int) []byte {
	it := c.items[n]
	start, end := it.start, it.value.EndOffset
	from := c.open
	if n > 0 {
		from = c.items[n-1].value.EndOffset
	}
	for floor := commentsEnd(text[:start], from); start > floor && isSpace(text[start-1]); {
		start--
	}
	if comma := skipExtra(text, end); text[comma] == ',' {
		return cut(cut(text, comma, comma+1), start, end)
	}
	if n > 0 {
		comma := skipExtra(text, c.items[n-1].value.EndOffset)
		return cut(cut(text, start, end), comma, comma+1)
	}
	if own := lineEnd(text) + c.lineIndent(text); bytes.HasPrefix(text[end:], []byte(own)) {
		end += len(own)
	}
	return cut(text, start, end)
}

// lineIndent returns the white space that the line of the bracket starts with.
func (c container) lineIndent(text []byte) string {
	return indentOf(text[bytes.LastIndexByte(text[:c.open], '\n')+1:])
}

func indentOf(line []byte) string {
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// indentUnit returns what the first indented line is indented by; two spaces
// when there is none.
func indentUnit(text []byte) string {
	for line := range bytes.Lines(text) {
		in := indentOf(line)
		if in != "" && bytes.HasPrefix(line[len(in):], []byte{'"'}) {
			return in
		}
	}
	return "  "
}

// spread writes an item over several lines.
func spread(compact, indent, unit, eol string) string {
	key, value := "", compact
	if strings.HasPrefix(compact, `"`) && !json.Valid([]byte(compact)) { // a member, and no text by itself
		key, value, _ = strings.Cut(compact, ":")
		key += ": "
	}
	return key + strings.ReplaceAll(indented(value, indent, unit), "\n", eol)
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// commentsEnd returns where the last comment behind from ends, with the line
// end that a comment of a line needs; from when there is none. Text holds
// nothing else there but white space and a comma.
func commentsEnd(text []byte, from int) int {
	for at := from; at < len(text); {
		switch rest := text[at:]; {
		case bytes.HasPrefix(rest, []byte("//")):
			at += bytes.IndexByte(rest, '\n') + 1
			from = at
		case bytes.HasPrefix(rest, []byte("/*")):
			at += bytes.Index(rest, []byte("*/")) + 2
			from = at
		default:
			at++
		}
	}
	return from
}

// skipExtra returns the position behind white space and comments. The text was
// parsed: a comment that begins also ends, and something follows.
func skipExtra(text []byte, at int) int {
	for {
		switch rest := text[at:]; {
		case isSpace(rest[0]):
			at++
		case bytes.HasPrefix(rest, []byte("//")):
			at += bytes.IndexByte(rest, '\n') + 1
		case bytes.HasPrefix(rest, []byte("/*")):
			at += bytes.Index(rest, []byte("*/")) + 2
		default:
			return at
		}
	}
}

// rewrite returns the splice that makes an array of texts hold words, keeping
// the first; each is placed as the first is, on a line of its own or not.
func (c container) rewrite(text []byte, words []string) splice {
	first, last := c.items[0], c.items[len(c.items)-1]
	space := first.start
	for space > 0 && isSpace(text[space-1]) {
		space--
	}
	var more strings.Builder
	for _, w := range words[1:] {
		more.WriteString("," + string(text[space:first.start]) + quoted(w))
	}
	return splice{first.value.EndOffset, last.value.EndOffset, more.String()}
}
