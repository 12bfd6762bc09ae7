package write

import (
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/policy"
)

// stampDocuments fills in the metadata stamps of policies: all of them in new
// documents, and those for each edit in edited ones. Undo restores texts
// exactly, and a change that reads a page does not stamp it.
func stampDocuments(s *changeSet) error {
	if s.req.Undoes != 0 || s.req.Operation == "restore" || s.req.Operation == "stamp" {
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

func stampDocument(s *changeSet, t *target) (err error) {
	codec := doc.ForNote(s.w.Codecs, t.space.Syntax, t.to)
	var old *doc.Document
	if t.exists() {
		old = codec.Parse(t.path, t.old)
	}
	days := t.space.Policy.Calendar(s.now.Location())
	stamps := t.space.Policy.StampsFor(policy.Stamping{
		Actor: s.req.Actor, Project: s.req.Project, Date: s.now.In(days.Zone).Format(time.DateOnly),
	})
	t.new, err = policy.Fill(codec, codec.Parse(t.to, t.new), old, stamps, t.put != nil)
	return err
}
