package lexical

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-kb/cairn/internal/search/analysis"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// naive searches documents by the definitions, without an index.
type naive struct {
	docs map[int64]*naiveDoc
}

// naiveDoc holds, for each field, the words at each position.
type naiveDoc struct {
	fields  [fieldCount]map[int][]string
	lengths [fieldCount]int
}

func analyse(d Document) *naiveDoc {
	n := new(naiveDoc)
	var next [fieldCount]int
	var a analysis.Analyzer
	for _, t := range d.Texts {
		f := t.Field
		if n.fields[f] == nil {
			n.fields[f] = make(map[int][]string)
		}
		if next[f] > 0 {
			next[f] += valueGap
		}
		used := a.Document(t.Value, func(tok analysis.Token) {
			p := next[f] + tok.Pos
			n.fields[f][p] = append(n.fields[f][p], string(tok.Term))
		})
		next[f] += used
		n.lengths[f] += used
	}
	for f, l := range n.lengths {
		n.lengths[f] = lengthOf(lengthCode(l))
	}
	return n
}

var stems sync.Map // of string: string

func stem(word string) string {
	if s, ok := stems.Load(word); ok {
		return s.(string)
	}
	s := string(analysis.Stem(nil, []byte(word)))
	stems.Store(word, s)
	return s
}

// fills returns the weight with which a word fills a slot, 0 if it does not.
func fills(word string, s analysis.Slot) float64 {
	switch {
	case s.How == analysis.Beginning && strings.HasPrefix(word, s.Term), word == s.Term && s.How != analysis.Inflected:
		return 1
	case s.How == analysis.Inflected && stem(word) == stem(s.Term):
		if word == s.Term {
			return 1
		}
		return inflected
	}
	return 0
}

// frequency returns how often a leaf is in a field, by weight.
func (d *naiveDoc) frequency(l *leaf, f int) float64 {
	if !l.fields.Has(Field(f)) {
		return 0
	}
	n := 0.0
	for p := range d.fields[f] {
		if len(l.slots) == 1 {
			for _, w := range d.fields[f][p] {
				n += fills(w, l.slots[0])
			}
			continue
		}
		ok := true
		for _, s := range l.slots {
			ok = ok && slices.ContainsFunc(d.fields[f][p+s.Offset], func(w string) bool { return fills(w, s) > 0 })
		}
		if ok {
			n++
		}
	}
	return n
}

func (n *naive) search(root query.Node, allowed *IDs) []Hit {
	var c compiler
	node, _ := c.compile(root, true)
	if node == nil {
		return nil
	}
	var average [fieldCount]float64
	for _, d := range n.docs {
		for f, l := range d.lengths {
			average[f] += float64(l) / float64(len(n.docs))
		}
	}
	idf := make(map[*leaf]float64)
	for _, l := range c.leaves {
		df := 0.0
		for _, d := range n.docs {
			if n.holds(d, l) {
				df++
			}
		}
		idf[l] = math.Log(1 + (float64(len(n.docs))-df+0.5)/(df+0.5))
	}
	var hits []Hit
	for id, d := range n.docs {
		if !n.holds(d, node) || allowed != nil && !allowed.Contains(id) {
			continue
		}
		hit := Hit{ID: id}
		all := 0.0
		for _, l := range c.leaves {
			if !l.scored {
				continue
			}
			all += idf[l]
			weighted, fields := 0.0, FieldSet(0)
			for f := range d.fields {
				if tf := d.frequency(l, f); tf > 0 {
					fields |= 1 << f
					b := fieldNorms[f]
					weighted += fieldWeights[f] * tf / (1 - b + b*float64(d.lengths[f])/average[f])
				}
			}
			hit.Fields |= fields
			if weighted > 0 {
				if fields == 1<<Markup {
					hit.Markup += idf[l]
				} else {
					hit.Coverage += idf[l]
				}
				if !slices.Contains(hit.Terms, l.text) {
					hit.Terms = append(hit.Terms, l.text)
				}
			}
			hit.Score += idf[l] * weighted * (saturation + 1) / (weighted + saturation)
		}
		if all > 0 {
			hit.Coverage /= all
			hit.Markup /= all
		}
		hits = append(hits, hit)
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return hits
}

func (n *naive) holds(d *naiveDoc, node any) bool {
	switch node := node.(type) {
	case *leaf:
		for f := range d.fields {
			if d.frequency(node, f) > 0 {
				return true
			}
		}
		return false
	case allOf:
		return !slices.ContainsFunc(node, func(c any) bool { return !n.holds(d, c) })
	case anyOf:
		return slices.ContainsFunc(node, func(c any) bool { return n.holds(d, c) })
	case noneOf:
		return !n.holds(d, node.node)
	}
	return true
}
