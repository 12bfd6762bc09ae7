package query

import "strings"

// String returns the query in canonical form: text, then filters. Parsing it again with the
// same clock gives the same query, except for notes.
func (q Query) String() string {
	var parts []string
	if _, all := q.Root.(*All); !all && q.Root != nil {
		text := q.Root.String()
		if _, alternatives := q.Root.(*Or); alternatives && len(q.Filters) > 0 {
			text = "(" + text + ")"
		}
		parts = append(parts, text)
	}
	for i := range q.Filters {
		parts = append(parts, q.Filters[i].String())
	}
	return strings.Join(parts, " ")
}

func (w *Word) String() string {
	text := w.Text
	if w.Prefix {
		text += "*"
	}
	if w.Infix {
		text = "*" + text
	}
	return inField(w.Field) + text
}

func (p *Phrase) String() string { return inField(p.Field) + `"` + p.Text + `"` }

func (a *And) String() string { return join(a.Nodes, " ") }

func (o *Or) String() string { return join(o.Nodes, " OR ") }

func (n *Not) String() string { return "NOT " + nested(n.Node) }

func (f *Filter) String() string {
	text, value := string(f.Key)+":", f.Value
	switch {
	case f.file != "":
		text, value = string(file)+":", f.file
	case f.Key == Regex:
		text = "/" + f.Value + "/"
	case f.Key.ofPart():
		text += "(" + f.Value + ")"
	}
	if f.Not {
		text = "-" + text
	}
	if f.Key.InText() {
		return text
	}
	// A value can be written without quotes only if the lexer reads all of it as one word.
	// Any other value was quoted, so it contains no quotes.
	l := lexer{rest: value}
	if value == "" || value[0] == '"' || l.word() != value {
		return text + `"` + value + `"`
	}
	return text + value
}

// String returns the empty query, which matches everything.
func (*All) String() string { return "" }

func inField(field string) string {
	if field == "" {
		return ""
	}
	return field + ":"
}

// nested returns n in parentheses if it has several parts.
func nested(n Node) string {
	switch n.(type) {
	case *And, *Or:
		return "(" + n.String() + ")"
	}
	return n.String()
}

func join(nodes []Node, operator string) string {
	parts := make([]string, len(nodes))
	for i, n := range nodes {
		parts[i] = nested(n)
	}
	return strings.Join(parts, operator)
}
