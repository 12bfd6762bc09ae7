package query

// InField returns the query with all words without a field restricted to one field.
func InField(n Node, field string) Node {
	each := func(nodes []Node) []Node {
		out := make([]Node, len(nodes))
		for i, c := range nodes {
			out[i] = InField(c, field)
		}
		return out
	}
	switch n := n.(type) {
	case *Word:
		if n.Field == "" {
			return &Word{Text: n.Text, Prefix: n.Prefix, Field: field}
		}
	case *Phrase:
		if n.Field == "" {
			return &Phrase{Text: n.Text, Field: field}
		}
	case *Not:
		return &Not{InField(n.Node, field)}
	case *And:
		return &And{each(n.Nodes)}
	case *Or:
		return &Or{each(n.Nodes)}
	}
	return n
}
