package day

import (
	"cmp"
	"context"
	"path"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// Request asks for the note of a day.
type Request struct {
	Date     string // YYYY-MM-DD, today, yesterday or tomorrow; "" for today
	Text     string // to add to the note; "" to add nothing
	Expected *int   // version of the note, as in write.Change
}

// Plan is the note of a day, and the change that creates or extends it.
type Plan struct {
	Date   string        // YYYY-MM-DD
	Page   kb.Page       // the note, if it exists
	Change *write.Change // creates the note or adds to it; nil for none
}

// PlanNote finds the note of a day in a space; ext is the extension of its new
// pages. It plans the change that creates the note if missing, or the one that adds
// the text. Days are those of now's time zone. The errors are kb.Usage for an
// invalid day, and those of Read.
func PlanNote(ctx context.Context, sess *memory.Session, s *write.Space, ext string, now time.Time, req Request) (Plan, error) {
	day, err := dayOf(req.Date, now)
	if err != nil {
		return Plan{}, err
	}
	out := Plan{Date: day.Format(time.DateOnly)}
	pattern, err := Read(ctx, s.Files)
	if err != nil {
		return out, err
	}
	if pattern.InFolder {
		pattern.Folder = s.Policy.Folder
	}
	note := pattern.Path(day, ext)
	found := false
	if out.Page, found, err = noteAt(ctx, sess, s, note); err != nil {
		return out, err
	}
	if found {
		note = out.Page.Path
	}
	codec := doc.ForNote(sess.Codecs, s.Syntax, note)
	var edits []doc.Edit
	if text := strings.TrimSpace(req.Text); text != "" {
		edits = append(edits, doc.Append{Text: pattern.Block(text, codec.Format() == doc.Org)})
	}
	change := &write.Change{Space: s, Path: note, Of: out.Page.ID, Expected: req.Expected}
	switch {
	case !found:
		text, err := newNote(ctx, sess, s, codec, pattern, note, day, now)
		if err != nil {
			return out, err
		}
		d := codec.Parse(note, text)
		if _, has := d.Nodes[0].Property("summary"); !has && s.Policy.Requires("summary", note, cmp.Or(d.Nodes[0].Type, s.Policy.Type)) {
			edits = append(edits, doc.SetProperty{Key: "summary", Value: "Notes of " + day.Format(time.DateOnly) + "."})
		}
		if text, err = codec.Apply(d, "", edits...); err != nil {
			return out, err
		}
		change.Action = write.Put{Bytes: text, Declare: true}
	case len(edits) > 0:
		change.Action = write.Edit{Edits: edits}
	default:
		return out, nil
	}
	out.Change = change
	return out, nil
}

// newNote returns the text of a new note, without the text of the request.
func newNote(ctx context.Context, sess *memory.Session, s *write.Space, codec doc.Codec, pattern Pattern, note string, day, now time.Time) ([]byte, error) {
	title := doc.TitleFromPath(note)
	switch {
	case pattern.Text != "":
		return []byte(fillFoam(pattern.Text, timeOf(day, now), title)), nil
	case pattern.Heading != "":
		return []byte("# " + doc.FormatTime(pattern.Heading, day) + "\n"), nil
	case pattern.Title != "":
		return codec.New(doc.NewPage{Title: doc.FormatTime(pattern.Title, day)})
	}
	template, err := findTemplate(ctx, sess, s, pattern.Template, path.Ext(note))
	return []byte(Fill(template, day, now, title)), err
}

// dayOf reads the requested day, in the time zone of now.
func dayOf(text string, now time.Time) (time.Time, error) {
	at := func(t time.Time, days int) time.Time {
		return kb.DayStart(t.Year(), t.Month(), t.Day()+days, now.Location())
	}
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "", "today":
		return at(now, 0), nil
	case "yesterday":
		return at(now, -1), nil
	case "tomorrow":
		return at(now, 1), nil
	}
	day, err := time.Parse(time.DateOnly, strings.TrimSpace(text))
	if err != nil {
		return day, kb.Errorf(kb.Usage, "%q is not a day", text).WithHint("Give a date such as 2026-03-01, or today, yesterday or tomorrow.")
	}
	return at(day, 0), nil
}

// noteAt returns the page at a path of a space, or the one with the same name in
// another format: the space's format may have changed since the note was created.
func noteAt(ctx context.Context, sess *memory.Session, s *write.Space, at string) (page kb.Page, found bool, err error) {
	paths := []string{at}
	for _, c := range sess.Codecs {
		for _, ext := range c.Extensions() {
			paths = append(paths, strings.TrimSuffix(at, path.Ext(at))+ext)
		}
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		for _, name := range paths {
			pages, err := tx.Pages().ByPath(ctx, s.Row, name)
			if err != nil {
				return err
			}
			if len(pages) > 0 {
				page, found = pages[0], true
				return nil
			}
		}
		return nil
	})
	return page, found, err
}

// findTemplate returns the text of the template for new notes, "" when no template
// is configured or its file does not exist.
func findTemplate(ctx context.Context, sess *memory.Session, s *write.Space, name, ext string) (text string, err error) {
	if name == "" {
		return "", nil
	}
	if doc.ForPath(sess.Codecs, name) == nil {
		name += ext
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		pages, err := tx.Pages().ByPath(ctx, s.Row, name)
		if err != nil || len(pages) == 0 {
			return err
		}
		bytes, err := tx.History().Bytes(ctx, pages[0].Hash)
		decoded, _ := doc.Decode(bytes)
		text = string(decoded)
		return err
	})
	return text, err
}
