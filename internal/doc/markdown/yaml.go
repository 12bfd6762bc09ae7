package markdown

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/cairn-kb/cairn/internal/doc"
)

// Limits for frontmatter that needs the YAML parser. The parser takes about a hundred times
// its input in memory, and an alias can expand to any number of values. Metadata written by
// people stays within these limits.
const (
	maxYAML    = 1 << 20 // bytes
	maxAliased = 10_000  // values expanded from aliases, in one frontmatter
	maxNested  = 10_000  // values within nested values that become properties, in one frontmatter
	maxNesting = 20      // nesting of maps and lists up to which these are read
)

// tooLarge is the code of the warning that frontmatter is beyond maxYAML.
const tooLarge = "frontmatter-too-large"

// readYAML reads frontmatter with the YAML parser, as nodes: nothing is constructed, no
// alias is expanded, and numbers and dates keep their spelling. why is the code of a warning
// if it is not a map.
func readYAML(text []byte, inner doc.Span) (fields []field, flow bool, why string) {
	src := text[inner.Start:inner.End]
	if len(src) > maxYAML {
		return nil, false, tooLarge
	}
	root, err := parseYAML(src)
	if err != nil {
		return nil, false, "frontmatter-not-yaml"
	}
	if root == nil {
		return nil, false, "" // comments only
	}
	if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		return nil, false, ""
	}
	if root.Kind != yaml.MappingNode {
		return nil, false, "frontmatter-not-map"
	}
	r := yamlReader{text: text, inner: inner, starts: yamlLines(src), budget: maxAliased, nested: maxNested}
	return r.fields(root), root.Style&yaml.FlowStyle != 0, ""
}

// parseYAML returns the root of the one document in src, nil when it is
// empty.
func parseYAML(src []byte) (root *yaml.Node, err error) {
	// The parser is third-party code and its input may be hostile: if it panics, the page is
	// still read, without its metadata.
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, fmt.Errorf("the YAML parser failed: %v", r)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(src))
	var document, more yaml.Node
	switch err := dec.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one YAML document")
	}
	if len(document.Content) == 0 {
		return nil, nil
	}
	return document.Content[0], nil
}

// yamlLines returns the offsets of lines as YAML 1.1 counts them, which has more line breaks
// than other text.
func yamlLines(src []byte) []int {
	starts := []int{0}
	for i := 0; i < len(src); i++ {
		n := 0
		switch {
		case src[i] == '\n':
			n = 1
		case src[i] == '\r':
			n = 1
			if i+1 < len(src) && src[i+1] == '\n' {
				n = 2
			}
		case src[i] == 0xC2 && i+1 < len(src) && src[i+1] == 0x85:
			n = 2
		case src[i] == 0xE2 && i+2 < len(src) && src[i+1] == 0x80 && src[i+2]|1 == 0xA9:
			n = 3
		}
		if n > 0 {
			i += n - 1
			starts = append(starts, i+1)
		}
	}
	return starts
}

type yamlReader struct {
	text   []byte
	inner  doc.Span
	starts []int
	budget int  // number of values to which aliases may still expand
	nested int  // number of nested values that may still be read
	twice  bool // data found a duplicate key in a map
}

// offset returns where a node's line starts in the text.
func (r *yamlReader) offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(r.starts) {
		return r.inner.End
	}
	return r.inner.Start + r.starts[n.Line-1]
}

func (r *yamlReader) fields(root *yaml.Node) []field {
	fields := make([]field, 0, len(root.Content)/2)
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		f := field{key: key.Value, span: doc.Span{Start: r.offset(key), End: r.inner.End}}
		if i+2 < len(root.Content) {
			f.span.End = r.offset(root.Content[i+2])
		}
		f.span.End = r.trim(f.span, max(key.Column-1, 0))
		f.colon = r.colon(f.span, key)
		f.kind, f.values = r.value(value)
		if f.kind == opaque {
			f.values = []string{r.source(f)}
			f.leaves = r.leaves(nil, f.key, value, f.span, 0)
			r.twice = false
			f.data = r.data(value, 0)
			f.twice = r.twice
			if isNames(f.key) {
				f.names, f.skipped = r.names(value)
			}
		}
		if key.Kind == yaml.ScalarNode {
			fields = append(fields, f)
		}
	}
	return fields
}

// trim excludes blank lines and comments that are indented no more than the key from the end
// of a field's span, since they belong to the next key.
func (r *yamlReader) trim(s doc.Span, indent int) int {
	end := s.End
	for end > s.Start {
		start := max(doc.LineStart(r.text, end-1), s.Start)
		line := r.text[start:end]
		if start == s.Start || !doc.Blank(line) && (indentOf(line) > indent || line[indentOf(line)] != '#') {
			return end
		}
		end = start
	}
	return end
}

// indentOf returns the number of blanks before the text of a line.
func indentOf(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }

// colon returns the offset after the colon of a key on one line, 0 for other keys.
func (r *yamlReader) colon(span doc.Span, key *yaml.Node) int {
	line := r.text[span.Start:doc.LineEnd(r.text, span.Start)]
	at := len(line) - len(bytes.TrimLeft(line, " "))
	raw := key.Value
	if key.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 && at < len(line) {
		n := quotedEnd(line[at:])
		if n == 0 {
			return 0
		}
		raw = string(line[at : at+n])
	}
	if key.Anchor != "" || key.Style&yaml.TaggedStyle != 0 || !bytes.HasPrefix(line[at:], []byte(raw)) {
		return 0
	}
	at += len(raw)
	for at < len(line) && line[at] == ' ' {
		at++
	}
	if at == len(line) || line[at] != ':' {
		return 0
	}
	return span.Start + at + 1
}

// quotedEnd returns the length of the quoted scalar at the start of s, 0 when
// it does not end there.
func quotedEnd(s []byte) int {
	q := s[0]
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && q == '"':
			i++
		case s[i] != q:
		case q == '\'' && i+1 < len(s) && s[i+1] == q:
			i++
		default:
			return i + 1
		}
	}
	return 0
}

// value returns the kind and the normalised values of a node.
func (r *yamlReader) value(n *yaml.Node) (kind, []string) {
	n = r.follow(n)
	switch {
	case n == nil:
		return opaque, nil
	case n.Kind == yaml.ScalarNode:
		v, ok := scalarValue(n)
		if !ok {
			return null, nil
		}
		return scalar, []string{v}
	case n.Kind != yaml.SequenceNode:
		return opaque, nil
	}
	values := make([]string, 0, len(n.Content))
	for _, item := range n.Content {
		if item = r.follow(item); item == nil || item.Kind != yaml.ScalarNode {
			return opaque, nil
		}
		if v, ok := scalarValue(item); ok {
			values = append(values, v)
		}
	}
	return list, values
}

// names returns the text items of a list of names. "- Foo: The Bar" is a map of one key in
// YAML, but was meant as text. Other nested values are skipped.
func (r *yamlReader) names(n *yaml.Node) (names []string, skipped bool) {
	if n = r.follow(n); n == nil || n.Kind != yaml.SequenceNode {
		return nil, false
	}
	for _, item := range n.Content {
		name := itemText(r.follow(item))
		if name != "" {
			names = append(names, name)
		}
		skipped = skipped || name == "" && item.Kind != yaml.ScalarNode
	}
	return names, skipped
}

// itemText returns a scalar, or a map of one key and a scalar, as a text; "" for others.
func itemText(n *yaml.Node) string {
	switch {
	case n == nil:
	case n.Kind == yaml.ScalarNode:
		v, _ := scalarValue(n)
		return v
	case n.Kind == yaml.MappingNode && len(n.Content) == 2 &&
		n.Content[0].Kind == yaml.ScalarNode && n.Content[1].Kind == yaml.ScalarNode:
		return n.Content[0].Value + ": " + n.Content[1].Value
	}
	return ""
}

// leaves adds the values within a nested value, those of a map under their full keys.
func (r *yamlReader) leaves(out []doc.PropertyValue, key string, n *yaml.Node, at doc.Span, depth int) []doc.PropertyValue {
	if n = r.follow(n); n == nil || depth > maxNesting {
		return out
	}
	if r.nested--; r.nested < 0 {
		return out
	}
	switch n.Kind {
	case yaml.ScalarNode:
		if v, ok := scalarValue(n); ok {
			out = append(out, doc.Property{Key: key, Values: []string{v}, Span: at}.PropertyValues()...)
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			out = r.leaves(out, key, item, at, depth+1)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if name := n.Content[i]; name.Kind == yaml.ScalarNode {
				out = r.leaves(out, key+"."+name.Value, n.Content[i+1], at, depth+1)
			}
		}
	}
	return out
}

// follow returns the node that an alias refers to, nil if the aliases of this frontmatter
// expand to too many values.
func (r *yamlReader) follow(n *yaml.Node) *yaml.Node {
	if n.Kind != yaml.AliasNode {
		return n
	}
	if r.budget -= 1 + len(n.Alias.Content); r.budget < 0 {
		return nil
	}
	return n.Alias
}

// scalarValue returns the string form of a scalar, false for null.
func scalarValue(n *yaml.Node) (string, bool) {
	switch n.ShortTag() {
	case "!!null":
		return "", false
	case "!!bool":
		if strings.EqualFold(n.Value, "true") {
			return "True", true
		}
		return "False", true
	case "!!timestamp":
		return isoDate(n.Value), true
	}
	return n.Value, true
}

// timestamps are the YAML 1.1 timestamps that are not ISO 8601, and their ISO
// forms.
var timestamps = []struct{ from, to string }{
	{"2006-1-2", "2006-01-02"},
	{"2006-1-2 15:4:5.999999999", "2006-01-02T15:04:05.999999999"},
	{"2006-1-2T15:4:5.999999999", "2006-01-02T15:04:05.999999999"},
	{"2006-1-2t15:4:5.999999999", "2006-01-02T15:04:05.999999999"},
	{"2006-1-2 15:4:5.999999999 Z07:00", "2006-01-02T15:04:05.999999999Z07:00"},
	{"2006-1-2 15:4:5.999999999Z07:00", "2006-01-02T15:04:05.999999999Z07:00"},
	{"2006-1-2T15:4:5.999999999Z07:00", "2006-01-02T15:04:05.999999999Z07:00"},
	{"2006-1-2t15:4:5.999999999Z07:00", "2006-01-02T15:04:05.999999999Z07:00"},
}

func isoDate(s string) string {
	for _, form := range timestamps {
		if t, err := time.Parse(form.from, s); err == nil {
			return t.Format(form.to)
		}
	}
	return s
}

// source returns the text of a field's value.
func (r *yamlReader) source(f field) string {
	from := f.colon
	if from == 0 {
		from = f.span.Start
	}
	return strings.TrimSpace(string(r.text[from:f.span.End]))
}
