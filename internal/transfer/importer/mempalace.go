package importer

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/transfer/foreign"
)

// mempalaceFiles are the databases of MemPalace in a directory, or the file that is one.
func mempalaceFiles(t *tree) (out []string) {
	for _, f := range t.named("*.sqlite3") {
		at := t.at
		if info, err := os.Stat(at); err == nil && info.IsDir() {
			at = filepath.Join(at, filepath.FromSlash(f.name))
		} else if f.name != filepath.Base(at) {
			continue // in an archive
		}
		if (foreign.MemPalace{}).Has(context.Background(), at) {
			out = append(out, at)
		}
	}
	return out
}

func isMemPalace(t *tree) bool { return len(mempalaceFiles(t)) > 0 }

// mempalace reads the store of MemPalace: a page for each text, of its drawers, in the folders of
// its wing and room, and one for each entity of the knowledge graph.
func mempalace(ctx context.Context, t *tree, r *onePass) error {
	for _, file := range mempalaceFiles(t) {
		if err := r.drawers(ctx, file); err != nil {
			return err
		}
		err := (foreign.MemPalace{}).Entities(ctx, file, func(e foreign.Entity) error {
			out := note{id: entityID(e.ID), title: e.Name, kind: e.Type, folder: []string{"entities"}, created: palaceTime(e.Created)}
			if kb.InLine(out.kind) == "" || out.kind == "unknown" {
				out.kind = "entity"
			}
			for _, x := range e.Triples {
				kind, ok := doc.RelationType(x.Predicate)
				if !ok {
					kind = "related_to"
				}
				out.parts = append(out.parts, part{
					text: "- " + kind + " ", to: entityID(x.Object), after: span(x.From, x.To), section: "Relations", of: "relations",
				})
			}
			return r.add(out)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func entityID(id string) string { return keyOf("mempalace", "entity", id) }

// span is the interval of a relation, as a page has it.
func span(from, to string) string {
	day := func(text string) string {
		if _, err := time.Parse(time.DateOnly, text[:min(len(text), len(time.DateOnly))]); err != nil {
			return ""
		}
		return text[:len(time.DateOnly)]
	}
	if from, to = day(from), day(to); from == "" && to == "" {
		return ""
	}
	return " @" + from + ".." + to
}

// drawers adds the texts of a database, each of its drawers.
func (r *onePass) drawers(ctx context.Context, file string) error {
	var (
		out  note
		last foreign.Drawer
		text strings.Builder
	)
	flush := func() error {
		if out.id == "" {
			return nil
		}
		body := text.String()
		out.body = func(to links) string { return relinked(body, to) }
		return r.add(out)
	}
	err := (foreign.MemPalace{}).Drawers(ctx, file, func(d foreign.Drawer) error {
		d.Text = strings.TrimSpace(strings.ReplaceAll(d.Text, "\r\n", "\n"))
		switch {
		case d.Mode == "registry":
			r.leave("drawers", d.ID, "it marks a file as read, and has no text")
			return nil
		case d.Text == "":
			r.leave("drawers", d.ID, noText)
			return nil
		}
		if out.id != "" && d.Wing == last.Wing && d.Room == last.Room && d.Belongs() == last.Belongs() {
			text.WriteString(continued(last.Text, d.Text))
			if at := palaceTime(d.Filed); at.After(out.updated) {
				out.updated = at
			}
			last = d
			return nil
		}
		if err := flush(); err != nil {
			return err
		}
		text.Reset()
		text.WriteString(d.Text)
		out = note{
			id: r.key("mempalace", d.Wing, d.Room, d.Belongs()), title: firstLine(d.Text), folder: []string{d.Wing, d.Room},
			created: palaceTime(d.Filed), updated: palaceTime(d.Filed), metadata: metadata("author", d.Author, "hall", d.Hall, "file", d.Source),
		}
		if d.Source != "" {
			name := path.Base(strings.ReplaceAll(d.Source, `\`, "/"))
			out.title, out.names = strings.TrimSuffix(name, path.Ext(name)), []string{d.Source, name}
		} else if title := []rune(out.title); len(title) > 80 {
			out.title = string(title[:80])
		}
		last = d
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// continued is how a drawer goes on after one: drawers of a file repeat the end of the one before.
func continued(before, text string) string {
	for n := min(len(before), len(text), 400); n >= 20; n-- {
		if strings.HasSuffix(before, text[:n]) {
			return text[n:]
		}
	}
	return "\n\n" + text
}

func palaceTime(text string) time.Time {
	return timeIn(text, "2006-01-02T15:04:05.999999", "2006-01-02T15:04:05.999999Z07:00", time.DateTime, time.DateOnly)
}
