package importer

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
	"github.com/cairn-kb/cairn/internal/transfer/markup"
)

// keepNote is a note of Google Keep.
type keepNote struct {
	Title   string `json:"title"`
	Text    string `json:"textContent"`
	HTML    string `json:"textContentHtml"`
	Trashed bool   `json:"isTrashed"`
	Stored  bool   `json:"isArchived"`
	Pinned  bool   `json:"isPinned"`
	Edited  int64  `json:"userEditedTimestampUsec"`
	Created int64  `json:"createdTimestampUsec"`
	Labels  []struct {
		Name string `json:"name"`
	} `json:"labels"`
	Links []struct {
		Title string `json:"title"`
		URL   string `json:"url"`
	} `json:"annotations"`
	Files []struct {
		Path string `json:"filePath"`
		Type string `json:"mimetype"`
	} `json:"attachments"`
	Shared []struct {
		Email string `json:"email"`
		Owner bool   `json:"isOwner"`
	} `json:"sharees"`
	Items []keepItem `json:"listContent"`
}

type keepItem struct {
	Text    string `json:"text"`
	Checked bool   `json:"isChecked"`
}

// keepFiles returns the notes of an export of Google Keep.
func keepFiles(t *tree) []File {
	return slices.DeleteFunc(t.named("*.json"), func(f File) bool {
		dir := path.Base(path.Dir(f.name))
		return dir != "Keep" && (dir != "." || path.Base(t.at) != "Keep") && !fieldsOf(f, "userEditedTimestampUsec") // the name of the directory is translated
	})
}

// keep reads the notes of Google Keep in an export of Google Takeout.
func keep(ctx context.Context, t *tree, r *onePass) error {
	for _, f := range keepFiles(t) {
		if err := each(ctx, f, func(_ context.Context, n keepNote) error { return r.keep(t, f, n) }); err != nil {
			return err
		}
	}
	return nil
}

func micro(us int64) time.Time {
	if us <= 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

func (r *onePass) keep(t *tree, f File, n keepNote) error {
	name := strings.TrimSuffix(path.Base(f.name), ".json")
	if n.Trashed {
		r.leave("notes", name, "it is in the trash")
		return nil
	}
	if n.Title == "" && n.Text == "" && len(n.Items)+len(n.Files)+len(n.Links) == 0 {
		r.leave("notes", name, "it is empty")
		return nil
	}
	created := strconv.FormatInt(n.Created, 10)
	if n.Created == 0 {
		created = name
	}
	out := note{id: r.key("keep", created), title: n.Title, created: micro(n.Created), updated: micro(n.Edited)}
	if out.title == "" {
		out.title = firstLine(n.Text)
	}
	for _, l := range n.Labels {
		out.tags = append(out.tags, l.Name)
	}
	if n.Stored {
		out.metadata = append(out.metadata, metadata("archived", "true")...)
	}
	if n.Pinned {
		out.metadata = append(out.metadata, metadata("pinned", "true")...)
	}
	var with []string
	for _, s := range n.Shared {
		if s.Owner {
			out.metadata = append(out.metadata, metadata("author", s.Email)...)
		} else if s.Email != "" {
			with = append(with, s.Email)
		}
	}
	if len(with) > 0 {
		out.metadata = append(out.metadata, doc.Property{Key: "shared_with", Values: with, List: true})
	}
	text := n.Text
	if keepFormat().MatchString(n.HTML) {
		if d, err := markup.Read(n.HTML, markup.Options{}); err == nil {
			text = d.Text
		}
	}
	var missing []string
	for _, x := range n.Files {
		file, there := t.file(path.Join(path.Dir(f.name), path.Base(x.Path)))
		if !there { // some pictures named .jpeg in the note are .jpg in the export
			base := strings.TrimSuffix(path.Base(x.Path), path.Ext(x.Path))
			for _, ext := range []string{".jpg", ".jpeg", ".png"} {
				if file, there = t.file(path.Join(path.Dir(f.name), base+ext)); there {
					break
				}
			}
		}
		if !there {
			missing = append(missing, x.Path)
			r.leave("attachments", x.Path, "it is not in the export")
			continue
		}
		out.files = append(out.files, attached(file))
	}
	out.body = func(links) string {
		var b strings.Builder
		b.WriteString(text)
		if len(n.Items) > 0 {
			b.WriteString("\n\n")
		}
		for _, x := range n.Items {
			b.WriteString(markup.Box(x.Checked) + kb.InLine(x.Text) + "\n")
		}
		for _, l := range n.Links {
			b.WriteString("\n\n" + markup.Link(l.URL, unbracketed(l.Title)))
		}
		for _, a := range out.files {
			b.WriteString("\n\n" + fileName(a.name))
		}
		for _, name := range missing {
			b.WriteString("\n\n" + missingFile(name))
		}
		return b.String()
	}
	return r.add(out)
}

// keepFormat matches the HTML of a text with formatting. Other HTML only has the lines of
// the plain text.
var keepFormat = lazyregexp.New(`<h[1-6]|font-weight: ?(bold|[6-9]00)|font-style: ?italic|line-through`)

// simpleNote is a note of Simplenote.
type simpleNote struct {
	ID      string   `json:"id"`
	Content string   `json:"content"`
	Created string   `json:"creationDate"`
	Changed string   `json:"lastModified"`
	Tags    []string `json:"tags"`
	Pinned  bool     `json:"pinned"`
}

// simplenoteFiles returns the files with the notes of Simplenote.
func simplenoteFiles(t *tree) (out []File) {
	for _, f := range t.named("notes.json") {
		if fieldsOf(f, "activeNotes") {
			out = append(out, f)
		}
	}
	return out
}

// simplenote reads notes.json of an export of Simplenote.
func simplenote(ctx context.Context, t *tree, r *onePass) error {
	for _, f := range simplenoteFiles(t) {
		err := eachIn(ctx, f, map[string]func(json.RawMessage) error{
			"activeNotes": decoded(func(n simpleNote) error {
				title := firstLine(n.Content)
				if title == "" {
					r.leave("notes", n.ID, noText)
					return nil
				}
				out := note{
					id: r.idOr(n.ID, "simplenote", n.Created, title), title: title, created: when(n.Created), updated: when(n.Changed), tags: n.Tags,
					names: []string{"simplenote://note/" + n.ID},
				}
				if n.Pinned {
					out.metadata = metadata("pinned", "true")
				}
				out.body = func(to links) string {
					_, rest, _ := strings.Cut(strings.TrimLeft(strings.ReplaceAll(n.Content, "\r\n", "\n"), " \t\n"), "\n")
					return relinked(rest, to)
				}
				return r.add(out)
			}),
			"trashedNotes": decoded(func(n simpleNote) error {
				r.leave("notes", firstLine(n.Content), "it is in the trash")
				return nil
			}),
		})
		if err != nil {
			return err
		}
	}
	return nil
}
