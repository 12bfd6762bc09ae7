package importer

import (
	"bufio"
	"context"
	"crypto/md5" //nolint:gosec // the format names attachments by it
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
	"github.com/cairn-kb/cairn/internal/transfer/markup"
)

// enexNote is a note in an ENEX file.
type enexNote struct {
	Title   string   `xml:"title"`
	Content string   `xml:"content"`
	Created string   `xml:"created"`
	Updated string   `xml:"updated"`
	Tags    []string `xml:"tag"`
	Facts   struct {
		Author    string `xml:"author"`
		URL       string `xml:"source-url"`
		Latitude  string `xml:"latitude"`
		Longitude string `xml:"longitude"`
		Reminder  string `xml:"reminder-time"`
	} `xml:"note-attributes"`
	Resources []enexResource `xml:"resource"`
	Tasks     []struct {
		Title  string `xml:"title"`
		Status string `xml:"taskStatus"`
		Due    string `xml:"dueDate"`
	} `xml:"task"`
}

type enexResource struct {
	Data  string `xml:"data"`
	MIME  string `xml:"mime"`
	Facts struct {
		Name string `xml:"file-name"`
	} `xml:"resource-attributes"`
}

func enexFiles(t *tree) []File { return t.named("*.enex") }

// evernote reads ENEX files, each of which is a notebook.
func evernote(ctx context.Context, t *tree, r *onePass) error {
	files := enexFiles(t)
	for _, f := range files {
		var folder []string
		if len(files) > 1 {
			folder = []string{strings.TrimSuffix(path.Base(f.name), path.Ext(f.name))}
		}
		if err := enexFile(ctx, f, func(n enexNote) error { return r.enex(n, folder) }); err != nil {
			return err
		}
	}
	return nil
}

// enexFile calls do with each note of a file.
func enexFile(ctx context.Context, f File, do func(enexNote) error) (err error) {
	m, err := f.metered()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	dec := xml.NewDecoder(bufio.NewReaderSize(m, 64<<10))
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		token, err := dec.Token()
		if err == io.EOF {
			return nil
		}
		var n enexNote
		if start, ok := token.(xml.StartElement); ok && err == nil {
			switch start.Name.Local {
			case "en-export":
			case "note":
				if err = dec.DecodeElement(&n, &start); err == nil {
					err = do(n)
				}
				m.end = dec.InputOffset() + maxElement
			default:
				err = dec.Skip()
			}
		}
		if err != nil {
			if e := (*kb.Error)(nil); errors.As(err, &e) {
				return err
			}
			return f.damaged(dec.InputOffset(), err)
		}
	}
}

// enexTime parses times such as 20241124T091500Z.
func enexTime(text string) time.Time { return timeIn(text, "20060102T150405Z") }

func (r *onePass) enex(n enexNote, folder []string) error {
	out := note{
		id: r.key("evernote", n.Created, n.Title), title: n.Title, folder: folder, created: enexTime(n.Created), updated: enexTime(n.Updated), tags: n.Tags,
		metadata: metadata("author", n.Facts.Author, "url", n.Facts.URL),
	}
	if n.Facts.Latitude != "" && n.Facts.Longitude != "" {
		out.metadata = append(out.metadata, metadata("location", n.Facts.Latitude+", "+n.Facts.Longitude)...)
	}
	if r.texts {
		names := map[string]string{} // of attachments, by the hash of their bytes
		for _, x := range n.Resources {
			b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(x.Data), ""))
			if err != nil {
				return kb.Errorf(kb.Invalid, "an attachment of the note %q cannot be decoded: %w", n.Title, err).WithHint("Nothing was written. Export it again.")
			}
			sum := md5.Sum(b) //nolint:gosec // as above
			name := kb.InLine(x.Facts.Name)
			if name == "" {
				name = "attachment" + suffixOf(x.MIME)
			}
			names[hex.EncodeToString(sum[:])] = name
			out.files = append(out.files, attachment{name: name, held: len(b), read: func() ([]byte, error) { return b, nil }})
		}
		if _, _, err := enml(n.Content, names, func(string) string { return "" }); err != nil {
			r.leave("notes", kb.InLine(n.Title), kb.AsError(err).Message)
			for _, a := range out.files {
				r.leave("attachments", a.name, "its note is left out")
			}
			return nil
		}
		out.body = func(to links) string {
			text, encrypted, _ := enml(n.Content, names, to) // it was parsed before without an error
			if encrypted > 0 {
				r.lose("note "+kb.InLine(n.Title), "it has text that Evernote encrypted, which stays out")
			}
			for _, x := range n.Tasks {
				text += "\n" + markup.Box(x.Status == "completed") + kb.InLine(x.Title)
				if due := enexTime(x.Due); !due.IsZero() {
					text += " (due " + due.Format(time.DateOnly) + ")"
				}
			}
			return text
		}
	}
	return r.add(out)
}

// suffixOf returns the file name extension of a media type.
func suffixOf(mime string) string {
	switch _, kind, _ := strings.Cut(mime, "/"); kind {
	case "jpeg":
		return ".jpg"
	case "png", "gif", "pdf", "webp", "tiff":
		return "." + kind
	case "svg+xml":
		return ".svg"
	case "mpeg":
		return ".mp3"
	}
	return ""
}

var noteLink = lazyregexp.New(`^(evernote:///|https://(www|share)\.evernote\.com/)`)

// enml converts the content of a note to Markdown.
func enml(content string, files map[string]string, to links) (text string, encrypted int, err error) {
	d, err := markup.Read(content, markup.Options{
		XHTML: true,
		Element: func(name string, a map[string]string) (string, bool) {
			switch name {
			case "en-todo":
				return markup.Box(a["checked"] == "true"), true
			case "en-media":
				if name := files[a["hash"]]; name != "" {
					return " " + fileName(name) + " ", true
				}
				return "File of type " + code(a["type"]) + " (not in the export)", true
			case "en-crypt":
				encrypted++
				return " (encrypted text, not imported) ", true
			}
			return "", false
		},
		Link: func(href, text string) string {
			if noteLink().MatchString(href) { // it refers to the note by an id that the export lacks
				if l := to.linked(plainText(text), text); l != "" {
					return l
				}
			}
			return markup.Link(href, text)
		},
		Image: picture,
	})
	return d.Text, encrypted, err
}

// plainText returns a line of Markdown without its marks.
func plainText(text string) string {
	return strings.NewReplacer(`\`, "", "**", "", "`", "", "~~", "").Replace(text)
}
