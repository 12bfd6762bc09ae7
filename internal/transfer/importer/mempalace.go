package importer

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
	"github.com/cairn-kb/cairn/internal/transfer/foreign"
)

// mempalaceFiles returns the databases of MemPalace in a directory, or the file itself if it
// is one.
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

// hasRooms reports whether a tree has a database of MemPalace, or a file that may be a room.
func hasRooms(t *tree) bool {
	return len(mempalaceFiles(t)) > 0 || anyPalace(t, func(_, text string) bool { return palaceTitle().MatchString(text) })
}

// isMemPalace reports whether a tree is an export of MemPalace. The title of a room is not
// sufficient: any note may have it.
func isMemPalace(t *tree) bool {
	return len(mempalaceFiles(t)) > 0 || anyPalace(t, func(name, text string) bool {
		return isPalaceIndex(name, text) || palaceTitle().MatchString(text) && palaceDrawer().MatchString(text)
	})
}

// anyPalace reports whether is holds for the name and the start of one of the Markdown
// files.
func anyPalace(t *tree, is func(name, text string) bool) bool {
	files := t.named("*.md")
	return slices.ContainsFunc(files[:min(len(files), looked)], func(f File) bool {
		return is(f.name, strings.ReplaceAll(string(f.head()), "\r\n", "\n"))
	})
}

// isPalaceIndex reports whether a file is the list of wings of an export.
func isPalaceIndex(name, text string) bool {
	return path.Base(name) == "index.md" && strings.HasPrefix(text, "# Palace Export")
}

var (
	palaceTitle = lazyregexp.New(`^# (.+?) / (.+)\n\n## `)
	// palaceDrawer is a drawer of an export: its id, its text as a quote, and a table.
	palaceDrawer = lazyregexp.New(`(?m)^## (.+)\n\n((?:>.*\n)+)\n\| Field \| Value \|\n\|-+\|-+\|\n\| Source \| (.*) \|\n\| Filed \| (.*) \|\n\| Added by \| (.*) \|\n\n---$`)
)

// room returns the drawers in a file of an export, those of one source next to each other.
func (r *onePass) room(f File) []foreign.Drawer {
	if !strings.EqualFold(path.Ext(f.name), ".md") {
		r.leave("files", f.name, "it is not Markdown")
		return nil
	}
	text, err := f.text()
	if err != nil {
		r.leave("files", f.name, kb.AsError(err).Message)
		return nil
	}
	title := palaceTitle().FindStringSubmatch(text)
	switch {
	case isPalaceIndex(f.name, text):
		r.leave("files", f.name, "it lists the wings")
		return nil
	case title == nil:
		r.leave("files", f.name, "it is not a room of MemPalace")
		return nil
	}
	known := func(value string) string {
		if value == "unknown" {
			return ""
		}
		return value
	}
	var out []foreign.Drawer
	for _, m := range palaceDrawer().FindAllStringSubmatch(text, -1) {
		lines := strings.Split(strings.TrimSuffix(m[2], "\n"), "\n")
		for i, l := range lines {
			lines[i] = strings.TrimPrefix(strings.TrimPrefix(l, ">"), " ")
		}
		out = append(out, foreign.Drawer{
			ID: m[1], Text: strings.Join(lines, "\n"), Wing: title[1], Room: title[2],
			Source: known(m[3]), Filed: known(m[4]), Author: known(m[5]),
		})
	}
	for n := strings.Count(text, "\n## ") - len(out); n > 0; n-- {
		r.leave("drawers", f.name, "a drawer is not in the form of an export")
	}
	slices.SortStableFunc(out, func(a, b foreign.Drawer) int { return strings.Compare(a.Belongs(), b.Belongs()) })
	return out
}

// mempalace reads the store of MemPalace, or its Markdown export. Each text becomes a page
// made of its drawers, in the folder of its wing and room, and each entity of the knowledge
// graph becomes a page.
func mempalace(ctx context.Context, t *tree, r *onePass) error {
	databases := mempalaceFiles(t)
	var rooms []File
	if len(databases) == 0 {
		rooms = t.files
	}
	for _, f := range rooms {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := r.drawers(func(do func(foreign.Drawer) error) error {
			for _, d := range r.room(f) {
				if err := do(d); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, file := range databases {
		err := r.drawers(func(do func(foreign.Drawer) error) error { return (foreign.MemPalace{}).Drawers(ctx, file, do) })
		if err != nil {
			return err
		}
		err = (foreign.MemPalace{}).Entities(ctx, file, func(e foreign.Entity) error {
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

// span formats the interval of a relation for a page.
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

// drawers adds a page for each text; read yields the drawers of one text next to each other.
func (r *onePass) drawers(read func(do func(foreign.Drawer) error) error) error {
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
	err := read(func(d foreign.Drawer) error {
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

// continued returns the part of a drawer that follows the text before it: each drawer of a
// file repeats the end of the previous one.
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
