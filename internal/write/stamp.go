package write

import (
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
)

// stamp fills in the metadata that policies have cairn keep: all of it in documents that
// are made here, and what each edit sets in those that the request edits. What takes
// something back makes texts as they were.
func stamp(s *changeSet) error {
	if s.req.Undoes != 0 || s.req.Operation == "restore" {
		return nil
	}
	for _, t := range s.docs {
		if len(t.space.Policy.Stamps) == 0 || t.gone || !t.textChanged() {
			continue
		}
		made := !t.exists() && t.put != nil && t.put.Declare
		rewritten := t.exists() && t.put != nil && !t.put.Copied && t.put.KeepID
		if !made && !rewritten && !(t.exists() && t.edited) {
			continue
		}
		if err := stampDocument(s, t); err != nil {
			return err
		}
	}
	return nil
}

func stampDocument(s *changeSet, t *target) error {
	codec := doc.ForNote(s.w.Codecs, t.space.Syntax, t.to)
	d := codec.Parse(t.to, t.new)
	var old *doc.Node
	if t.exists() {
		old = &codec.Parse(t.path, t.old).Nodes[0]
	}
	var edits []doc.Edit
	days := t.space.Policy.Calendar(s.now.Location())
	for _, stamp := range t.space.Policy.StampsFor(policy.Stamping{
		Actor: s.req.Actor, Project: s.req.Project, Date: s.now.In(days.Zone).Format(time.DateOnly),
	}) {
		has, _ := d.Nodes[0].Property(stamp.Key)
		var had doc.Property
		if t.exists() {
			had, _ = old.Property(stamp.Key)
		}
		values := []string{stamp.Value}
		switch there := len(has.Values) > 0; {
		case !t.exists() && there, t.exists() && there && (!stamp.Edits || !slices.Equal(had.Values, has.Values)):
			continue // the writer says it
		case t.exists() && !stamp.Edits && len(had.Values) == 0:
			continue // an older page that never had it
		case t.exists() && !stamp.Edits:
			if t.put == nil {
				continue // taken out by the edit
			}
			values = had.Values // the new text of the page lacks it
		}
		edits = append(edits, stampEdit(stamp, codec.Format(), values))
	}
	if len(edits) == 0 {
		return nil
	}
	bytes, err := codec.Apply(d, "", edits...)
	if kb.CodeOf(err) == kb.Invalid {
		return nil // a document that takes no metadata
	}
	if err == nil {
		t.new = bytes
	}
	return err
}

// stampEdit sets a stamp. A list of Org is written between colons, as tags are.
func stampEdit(s policy.Stamp, format doc.Format, values []string) doc.Edit {
	switch {
	case s.List && format == doc.Org:
		return doc.SetProperty{Key: s.Key, Value: ":" + strings.Join(values, ":") + ":"}
	case s.List:
		return doc.SetList{Key: s.Key, Values: values}
	}
	return doc.SetProperty{Key: s.Key, Value: strings.Join(values, " ")}
}
