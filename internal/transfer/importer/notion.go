package importer

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
	"github.com/cairn-kb/cairn/internal/transfer/markup"
)

// notionName is the name of a page, a database or a folder in an export of Notion: its title
// and its id.
var notionName = lazyregexp.New(`^(?:(.*) )?([0-9a-f]{32})(_all)?$`)

// notionOf splits a name without its extension into title and id.
func notionOf(name string) (title, id string, ok bool) {
	m := notionName().FindStringSubmatch(name)
	if m == nil {
		return name, "", false
	}
	return m[1], m[2], true
}

func isNotion(t *tree) bool {
	n := 0
	for _, f := range t.files {
		switch ext := strings.ToLower(path.Ext(f.name)); ext {
		case ".md", ".csv", ".html":
			if _, _, ok := notionOf(strings.TrimSuffix(path.Base(f.name), path.Ext(f.name))); ok {
				n++
			}
		}
	}
	return n > 0
}

// notionBase is a database of Notion: the columns of its CSV file, and its rows by title.
type notionBase struct {
	title, id string
	file      File
	head      []string
	rows      map[string][]string
	order     []string
}

// maxRows is the maximum number of rows of a database, which are all in memory.
const maxRows = 500_000

// notion reads an export of Notion as Markdown and CSV, or as HTML.
func notion(ctx context.Context, t *tree, r *onePass) error {
	bases := map[string]*notionBase{} // by the directory of their rows
	for _, f := range t.files {
		ext := strings.ToLower(path.Ext(f.name))
		title, id, ok := notionOf(strings.TrimSuffix(path.Base(f.name), path.Ext(f.name)))
		if ext == ".csv" && ok {
			dir := path.Join(path.Dir(f.name), strings.TrimSpace(title+" "+id))
			all := strings.HasSuffix(strings.TrimSuffix(f.name, ext), "_all")
			if have := bases[dir]; have != nil && !all {
				continue // the other file has all columns and rows
			}
			b := &notionBase{title: title, id: id, file: f}
			if err := b.read(ctx); err != nil {
				return err
			}
			bases[dir] = b
		}
	}
	withPage := map[string]map[string]bool{} // titles of rows with a page, by directory
	used := map[string]bool{}
	noPage := map[string]bool{} // ids of databases without a page
	for _, b := range bases {
		noPage[b.id] = true
	}
	for _, f := range t.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		title, id, ok := notionOf(strings.TrimSuffix(path.Base(f.name), path.Ext(f.name)))
		if ext := strings.ToLower(path.Ext(f.name)); !ok || ext != ".md" && ext != ".html" {
			continue
		}
		out := note{id: "notion-" + id, title: title, folder: notionFolder(path.Dir(f.name)), names: []string{id}}
		// The rows of a database in the folder of a page are in a folder with the name of
		// the database.
		dir := baseDir(path.Dir(f.name), bases)
		base := bases[dir]
		delete(noPage, id)
		if base != nil && withPage[dir] == nil {
			withPage[dir] = map[string]bool{}
		}
		if strings.EqualFold(path.Ext(f.name), ".html") {
			read, err := notionHTML(r, t, f, &out, base, used)
			if err != nil {
				return err
			}
			if read {
				if base != nil {
					withPage[dir][kb.InLine(out.title)] = true
				}
				if err := r.add(out); err != nil {
					return err
				}
			}
			continue
		}
		text, err := f.text()
		if err != nil {
			return err
		}
		if heading, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(heading, "# ") {
			out.title, text = strings.TrimPrefix(heading, "# "), strings.TrimLeft(rest, "\n")
		}
		if base != nil {
			withPage[dir][kb.InLine(out.title)] = true
			out.kind = vault.FileName(r.hide(base.title), "")
			var values map[string]string
			values, text = base.values(text, out.title)
			for _, key := range base.head {
				out.fact(r, key, values[key])
			}
		}
		if r.texts {
			for _, m := range markdownLink().FindAllStringSubmatch(text, -1) {
				notionFile(t, f, m[3], &out, used)
			}
		}
		out.body = func(to links) string {
			return relinkedBy(text, to, func(image bool, address, label string) (string, bool) {
				return notionLink(t, f, address, label, to)
			})
		}
		if err := r.add(out); err != nil {
			return err
		}
	}
	for _, dir := range sortedKeys(bases) {
		if err := notionTable(r, dir, bases[dir], withPage[dir], noPage); err != nil {
			return err
		}
	}
	for _, f := range t.files {
		if r.texts && !isNotionPage(f.name) && !used[f.name] {
			r.leave("attachments", f.name, "no page names it")
		}
	}
	return nil
}

// isNotionPage reports whether a file is a page, a database or the list of all pages.
func isNotionPage(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	_, _, ok := notionOf(strings.TrimSuffix(path.Base(name), path.Ext(name)))
	switch ext {
	case ".md", ".csv", ".html":
		return ok || path.Base(name) == "index.html"
	}
	return false
}

// baseDir returns the directory of the database that a directory belongs to; directories of
// rows may lack its id.
func baseDir(dir string, bases map[string]*notionBase) string {
	if bases[dir] != nil {
		return dir
	}
	for _, at := range sortedKeys(bases) {
		if path.Dir(at) == path.Dir(dir) && bases[at].title == path.Base(dir) {
			return at
		}
	}
	return ""
}

// notionFolder returns the titles of the pages in a directory's path.
func notionFolder(dir string) (out []string) {
	for _, level := range strings.Split(dir, "/") {
		title, _, _ := notionOf(level)
		if level != "." && title != "" && !strings.HasPrefix(title, "Export-") && title != "Private & Shared" {
			out = append(out, title)
		}
	}
	return out
}

// read reads the rows of a database.
func (b *notionBase) read(ctx context.Context) error {
	b.rows = map[string][]string{}
	return eachRow(ctx, b.file, func(row []string) error {
		if b.head == nil {
			b.head = slices.Clone(row)
			return nil
		}
		title := ""
		if len(row) > 0 {
			title = kb.InLine(row[0])
		}
		if len(b.order) >= maxRows {
			return kb.Errorf(kb.Invalid, "%s has more than %d rows", b.file.name, maxRows)
		}
		if b.rows[title] == nil {
			b.order = append(b.order, title)
			b.rows[title] = slices.Clone(row)
		}
		return nil
	})
}

// values returns the values of a row, and the text of its page without the lines that repeat
// them.
func (b *notionBase) values(text, title string) (values map[string]string, rest string) {
	values = map[string]string{}
	if row := b.rows[kb.InLine(title)]; row != nil {
		for i, key := range b.head {
			if i < len(row) && i > 0 {
				values[key] = row[i]
			}
		}
	}
	lines := strings.Split(text, "\n")
	n := 0
	for ; n < len(lines); n++ {
		key, value, ok := strings.Cut(lines[n], ": ")
		if !ok || !slices.Contains(b.head, key) {
			break
		}
		if values[key] == "" || !strings.Contains(value, "](") {
			values[key] = value
		}
	}
	return values, strings.TrimLeft(strings.Join(lines[n:], "\n"), "\n")
}

// notionDates lists the date formats of Notion.
var notionDates = []string{"January 2, 2006 3:04 PM", "January 2, 2006 15:04", "January 2, 2006", "2006/01/02 15:04", "2006/01/02", "02/01/2006 15:04", time.RFC3339, "2006-01-02 15:04", time.DateOnly}

func notionDate(text string) (t time.Time, day bool) {
	text, _, _ = strings.Cut(strings.TrimSpace(text), " (")
	for _, layout := range notionDates {
		if t, err := time.Parse(layout, text); err == nil {
			return t, !strings.Contains(layout, "04")
		}
	}
	return time.Time{}, false
}

// fact adds a property of a row: to the matching field of the note, such as its tags, or
// else as metadata under its key.
func (n *note) fact(r *onePass, key, value string) {
	value = kb.InLine(value)
	if value == "" {
		return
	}
	switch strings.ToLower(key) {
	case "created", "created time", "date created":
		if t, _ := notionDate(value); !t.IsZero() {
			n.created = t
			return
		}
	case "last edited", "last edited time", "updated", "date modified":
		if t, _ := notionDate(value); !t.IsZero() {
			n.updated = t
			return
		}
	case "created by", "author":
		n.metadata = append(n.metadata, metadata("author", value)...)
		return
	case "tags", "tag", "labels":
		n.tags = append(n.tags, strings.Split(value, ",")...)
		return
	}
	name := vault.FileName(r.hide(key), "")
	switch name {
	case "id", "title", "type", "status", "aliases", "source", "created", "updated", "tags", "date", "summary", "permalink":
		name = "notion-" + name
	}
	if t, day := notionDate(value); !t.IsZero() {
		if value = t.Format("2006-01-02T15:04"); day {
			value = t.Format(time.DateOnly)
		}
	}
	n.metadata = append(n.metadata, doc.Property{Key: name, Values: []string{value}})
}

// notionTable adds the page of a database, unless a page has its id: a table of its rows,
// with links to their pages. A row without a page gets one.
func notionTable(r *onePass, dir string, b *notionBase, withPage, noPage map[string]bool) error {
	folder := notionFolder(path.Dir(dir))
	for _, title := range b.order {
		row := b.rows[title]
		if withPage[title] || len(row) == 0 || strings.TrimSpace(strings.Join(row, "")) == "" {
			continue
		}
		out := note{id: r.key("notion", b.id, title), title: title, kind: vault.FileName(r.hide(b.title), ""), folder: append(slices.Clone(folder), b.title), names: []string{b.id + "/" + title}}
		for i, key := range b.head {
			if i > 0 && i < len(row) {
				out.fact(r, key, row[i])
			}
		}
		if err := r.add(out); err != nil {
			return err
		}
	}
	if !noPage[b.id] {
		return nil
	}
	delete(noPage, b.id)
	out := note{id: "notion-" + b.id, title: b.title, kind: "database", folder: folder, names: []string{b.id}}
	out.body = func(to links) string {
		rows := [][]string{cells(b.head)}
		for _, title := range b.order {
			row := cells(b.rows[title])
			if len(row) > 0 {
				for _, name := range []string{b.id + "/" + title, title} {
					if at := to(name); at != "" {
						row[0] = "[[" + at + "|" + unbracketed(title) + "]]"
						break
					}
				}
			}
			rows = append(rows, row)
		}
		return markup.Table(rows)
	}
	return r.add(out)
}

// cells returns texts as table cells, each on one line.
func cells(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = kb.InLine(text)
	}
	return out
}

// fileAt returns the file that an address in a file refers to.
func fileAt(f File, address string) string {
	if strings.Contains(address, "://") || strings.HasPrefix(address, "#") {
		return ""
	}
	plain, _, _ := strings.Cut(unescaped(address), "#")
	return path.Join(path.Dir(f.name), plain)
}

// unescaped decodes the escapes of an address, if they are valid.
func unescaped(address string) string {
	if plain, err := url.PathUnescape(address); err == nil {
		return plain
	}
	return address
}

// notionFile adds the file that an address refers to to a note, once for all notes.
func notionFile(t *tree, f File, address string, out *note, used map[string]bool) {
	at := fileAt(f, address)
	if at == "" || isNotionPage(at) || used[at] {
		return
	}
	if file, there := t.file(at); there {
		used[at] = true
		out.files = append(out.files, attached(file))
	}
}

var notionID = lazyregexp.New(`([0-9a-f]{32})(?:_all)?(?:\.(?:md|csv|html))?(?:[?#].*)?$`)

// notionLink renders a link to a page, a database or a file of the export.
func notionLink(t *tree, f File, address, label string, to links) (string, bool) {
	if at := fileAt(f, address); at != "" && !isNotionPage(at) {
		if _, there := t.file(at); there {
			name := path.Base(at)
			return named(label, name, fileName(name)), true
		}
	}
	plain := unescaped(address)
	if strings.Contains(plain, "://") && !strings.HasPrefix(plain, "https://www.notion.so/") && !strings.HasPrefix(plain, "https://notion.so/") {
		return "", false
	}
	if m := notionID().FindStringSubmatch(plain); m != nil {
		if l := to.linked(m[1], label); l != "" {
			return l, true
		}
	}
	return "", false
}

var notionRow = lazyregexp.New(`(?s)<table class="properties">(.*?)</table>`)

// notionHTML reads a page of an HTML export; it returns false for a page that is left out.
func notionHTML(r *onePass, t *tree, f File, out *note, base *notionBase, used map[string]bool) (bool, error) {
	text, err := f.text()
	if err != nil {
		return false, err
	}
	convert := func(to links) (markup.Document, error) {
		return markup.Read(text, markup.Options{
			XHTML: true,
			Link: func(href, label string) string {
				if to == nil {
					notionFile(t, f, href, out, used)
				} else if l, ok := notionLink(t, f, href, label, to); ok {
					return l
				}
				return markup.Link(href, label)
			},
			Image: func(src, alt string) string {
				if to == nil {
					notionFile(t, f, src, out, used)
				} else if l, ok := notionLink(t, f, src, alt, to); ok {
					return l
				}
				return picture(src, alt)
			},
			Element: func(name string, a map[string]string) (string, bool) {
				if class := a["class"]; name == "div" && strings.HasPrefix(class, "checkbox") {
					return markup.Box(strings.Contains(class, "checkbox-on")), true
				}
				return "", false
			},
		})
	}
	d, err := convert(nil) // in both passes, since the title determines the row of a database
	if err != nil {
		r.leave("notes", f.name, kb.AsError(err).Message)
		return false, nil
	}
	if d.Title != "" {
		out.title = d.Title
	}
	if base != nil {
		out.kind = vault.FileName(r.hide(base.title), "")
		if row := base.rows[kb.InLine(out.title)]; row != nil {
			for i, key := range base.head {
				if i > 0 && i < len(row) {
					out.fact(r, key, row[i])
				}
			}
			text = notionRow().ReplaceAllString(text, "")
		}
	}
	out.body = func(to links) string {
		d, _ := convert(to) // it was converted before without an error
		return d.Text
	}
	return true, nil
}
