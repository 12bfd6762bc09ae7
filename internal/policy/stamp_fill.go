package policy

import (
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Fill returns the text of a document with its stamps. old is the previous
// document, nil for a new one; whole is set if the writer passed the whole text
// rather than edits. A document that cannot have metadata is unchanged.
func Fill(codec doc.Codec, d, old *doc.Document, stamps []Stamp, whole bool) ([]byte, error) {
	edits := Edits(codec.Format(), d, old, stamps, whole)
	if len(edits) == 0 {
		return d.Source, nil
	}
	text, err := codec.Apply(d, "", edits...)
	if kb.CodeOf(err) == kb.Invalid {
		return d.Source, nil
	}
	return text, err
}

// Edits returns the edits that Fill makes.
func Edits(format doc.Format, d, old *doc.Document, stamps []Stamp, whole bool) (edits []doc.Edit) {
	for _, s := range stamps {
		has, _ := d.Nodes[0].Property(s.Key)
		var had doc.Property
		if old != nil {
			had, _ = old.Nodes[0].Property(s.Key)
		}
		values := []string{s.Value}
		switch there := len(has.Values) > 0; {
		case old == nil && there, old != nil && there && (!s.Edits || !slices.Equal(had.Values, has.Values)):
			continue // the writer set it
		case old != nil && !s.Edits && len(had.Values) == 0:
			continue // an older page that never had it
		case old != nil && !s.Edits:
			if !whole {
				continue // removed by the edit
			}
			values = had.Values // the new text of the page lacks it
		}
		if slices.Equal(values, has.Values) {
			continue // a change of the same day
		}
		edits = append(edits, edit(s, format, values))
	}
	return edits
}

// edit sets a stamp. An Org list is written between colons, as tags are.
func edit(s Stamp, format doc.Format, values []string) doc.Edit {
	switch {
	case s.List && format == doc.Org:
		return doc.SetProperty{Key: s.Key, Value: ":" + strings.Join(values, ":") + ":"}
	case s.List:
		return doc.SetList{Key: s.Key, Values: values}
	}
	return doc.SetProperty{Key: s.Key, Value: strings.Join(values, " ")}
}
