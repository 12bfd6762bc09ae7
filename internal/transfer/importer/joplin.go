package importer

import (
	"cmp"
	"context"
	"hash/maphash"
	"html"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
	"github.com/cairn-kb/cairn/internal/transfer/markup"
)

// Kinds of items in Joplin.
const (
	joplinNote     = "1"
	joplinFolder   = "2"
	joplinResource = "4"
	joplinTag      = "5"
	joplinNoteTag  = "6"
)

// joplinItem is an item of Joplin: its text, and the lines with keys and values at its end.
type joplinItem struct {
	text string
	keys map[string]string
}

var (
	joplinName = lazyregexp.New(`^(?:[0-9a-f]{20}|[0-9a-f]{32})\.md$`)
	joplinKey  = lazyregexp.New(`^([a-z_]+): ?(.*)$`)
)

// joplinItems yields the items of a JEX archive, or of a RAW directory, with their numbers.
func joplinItems(t *tree) iter.Seq2[int, File] {
	return func(yield func(int, File) bool) {
		for i, f := range t.files {
			if joplinName().MatchString(f.name) && !yield(i, f) {
				return
			}
		}
	}
}

func isJoplin(t *tree) bool {
	for _, f := range joplinItems(t) {
		return strings.Contains(string(f.head()), "type_: ")
	}
	return strings.HasSuffix(t.at, ".jex")
}

// joplinTags are the tags of notes, by note id. Exports have an item for each tag of each
// note, so only a hash of the note's id is kept.
type joplinTags struct {
	seed   maphash.Seed
	number map[string]int32 // of a tag, by its id
	ids    []string
	last   map[uint64]int32 // of a note, its last index in all
	all    []joplinTagged
}

// joplinTagged is a tag of a note, and the index of the note's previous tag; -1 for none.
type joplinTagged struct{ tag, before int32 }

func newJoplinTags() *joplinTags {
	return &joplinTags{seed: maphash.MakeSeed(), number: map[string]int32{}, last: map[uint64]int32{}}
}

func (t *joplinTags) add(note, tag string) {
	n, there := t.number[tag]
	if !there {
		n, tag = int32(len(t.ids)), strings.Clone(tag) // a copy, which does not keep the whole text in memory
		t.number[tag], t.ids = n, append(t.ids, tag)
	}
	h := maphash.String(t.seed, note)
	before, there := t.last[h]
	if !there {
		before = -1
	}
	t.last[h] = int32(len(t.all))
	t.all = append(t.all, joplinTagged{n, before})
}

// of returns the ids of the tags of a note, in the order in which they were added.
func (t *joplinTags) of(note string) (out []string) {
	at, there := t.last[maphash.String(t.seed, note)]
	for there && at >= 0 {
		out = append(out, t.ids[t.all[at].tag])
		at = t.all[at].before
	}
	slices.Reverse(out)
	return out
}

func readJoplin(f File) (it joplinItem, err error) {
	text, err := f.text()
	if err != nil {
		return it, err
	}
	it.keys = map[string]string{}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	end := len(lines)
	for ; end > 0; end-- {
		m := joplinKey().FindStringSubmatch(lines[end-1])
		if m == nil {
			break
		}
		it.keys[m[1]] = m[2]
	}
	it.text = strings.TrimSpace(strings.Join(lines[:end], "\n"))
	if it.keys["type_"] == "" {
		return it, kb.Errorf(kb.Invalid, "%s is not an item of Joplin: it has no type_", f.name)
	}
	return it, nil
}

// title returns the first line of an item.
func (it joplinItem) title() string {
	first, _, _ := strings.Cut(it.text, "\n")
	return first
}

// joplin reads the items of Joplin. Folders, tags and files come first, since notes refer to
// them.
func joplin(ctx context.Context, t *tree, r *onePass) error {
	type folder struct{ title, parent string }
	var (
		folders = map[string]folder{}
		tags    = map[string]string{}
		of      = newJoplinTags()
		files   = map[string]string{} // titles of resources, by id
		notes   []int32
	)
	for i, f := range joplinItems(t) {
		if err := ctx.Err(); err != nil {
			return err
		}
		it, err := readJoplin(f)
		if err != nil {
			return err
		}
		id := it.keys["id"]
		switch it.keys["type_"] {
		case joplinNote:
			notes = append(notes, int32(i))
		case joplinFolder:
			folders[id] = folder{it.title(), it.keys["parent_id"]}
		case joplinTag:
			tags[id] = it.title()
		case joplinNoteTag:
			of.add(it.keys["note_id"], it.keys["tag_id"])
		case joplinResource:
			files[id] = it.title()
		default:
			r.leave("other items", f.name, "it is not a note: type "+it.keys["type_"])
		}
	}
	at := map[string]File{} // resources
	for _, f := range t.files {
		if path.Base(path.Dir(f.name)) == "resources" {
			at[strings.TrimSuffix(path.Base(f.name), path.Ext(f.name))] = f
		}
	}
	used := map[string]bool{}
	for _, i := range notes {
		f := t.files[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		it, err := readJoplin(f)
		if err != nil {
			return err
		}
		id := it.keys["id"]
		if it.keys["encryption_applied"] == "1" {
			r.leave("notes", id, "it is encrypted: decrypt it in Joplin and export it again")
			continue
		}
		title, body, _ := strings.Cut(it.text, "\n")
		if deleted := it.keys["deleted_time"]; deleted != "" && deleted != "0" {
			r.leave("notes", cmp.Or(title, id), "it is in the trash")
			continue
		}
		if it.keys["markup_language"] == "2" && r.texts {
			d, err := markup.Read(body, markup.Options{Image: picture})
			if err != nil {
				r.leave("notes", title, kb.AsError(err).Message)
				continue
			}
			body = d.Text
		}
		out := note{
			id: r.idOr(id, "joplin", f.name), title: title, names: []string{":/" + id}, created: joplinTime(it.keys, "created_time"), updated: joplinTime(it.keys, "updated_time"),
			metadata: metadata("author", it.keys["author"], "url", it.keys["source_url"]),
		}
		if it.keys["is_conflict"] == "1" {
			out.metadata = append(out.metadata, metadata("conflict", "true")...)
		}
		for p, n := it.keys["parent_id"], 0; folders[p].title != "" && n < 50; p, n = folders[p].parent, n+1 {
			out.folder = append([]string{folders[p].title}, out.folder...)
		}
		for _, tag := range of.of(id) {
			out.tags = append(out.tags, tags[tag])
		}
		for _, m := range joplinLink().FindAllStringSubmatch(body, -1) {
			name, known := files[m[1]]
			file, there := at[m[1]]
			switch {
			case !known && !there || used[m[1]]:
			case !there:
				r.leave("attachments", cmp.Or(name, m[1]), "it is not in the export")
				used[m[1]] = true
			default:
				used[m[1]] = true
				a := attached(file)
				if name != "" {
					a.name = name + extension(file.name)
					if path.Ext(name) != "" {
						a.name = name
					}
				}
				out.files = append(out.files, a)
			}
		}
		out.body = func(to links) string {
			// Joplin writes a resized image as HTML.
			text := outsideCode(body, func(text string) string {
				return joplinImage().ReplaceAllStringFunc(text, func(tag string) string {
					alt := ""
					if m := imageAlt().FindStringSubmatch(tag); m != nil {
						alt = unbracketed(html.UnescapeString(m[1] + m[2]))
					}
					return "![" + alt + "](:/" + joplinImage().FindStringSubmatch(tag)[1] + ")"
				})
			})
			text = relinkedBy(text, to, func(image bool, address, label string) (string, bool) {
				id, ok := strings.CutPrefix(address, ":/")
				if !ok {
					return "", false
				}
				id, heading, _ := strings.Cut(id, "#")
				if l := to.linkedAt(":/"+id, unescaped(heading), label); l != "" && !image {
					return l, true
				}
				name, known := files[id]
				file, there := at[id]
				if name == "" && there {
					name = path.Base(file.name)
				}
				switch name = cmp.Or(name, id); {
				case there:
					return named(label, name, fileName(name)), true
				case known:
					return named(label, name, missingFile(name)), true
				}
				return "", false
			})
			if it.keys["is_todo"] == "1" {
				box := markup.Box(!joplinDay(it.keys["todo_completed"]).IsZero()) + kb.InLine(title)
				if due := joplinDay(it.keys["todo_due"]); !due.IsZero() {
					box += " 📅 " + due.Format(time.DateOnly)
				}
				if done := joplinDay(it.keys["todo_completed"]); !done.IsZero() {
					box += " ✅ " + done.Format(time.DateOnly)
				}
				text = box + "\n\n" + strings.TrimLeft(text, "\n")
			}
			return text
		}
		if err := r.add(out); err != nil {
			return err
		}
	}
	for id, f := range at {
		if !used[id] {
			r.leave("attachments", path.Base(f.name), "no note names it")
		}
	}
	return nil
}

var joplinLink = lazyregexp.New(`:/([0-9a-f]{20,32})`)

var (
	joplinImage = lazyregexp.New(`<img\b[^<>]*\bsrc=["']:/([0-9a-f]{32})["'][^<>]*>`)
	imageAlt    = lazyregexp.New(`\salt=(?:"([^"]*)"|'([^']*)')`)
)

// joplinDay parses a time of a to-do: a number of milliseconds, or the format of other
// times; zero for none.
func joplinDay(text string) time.Time {
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
		if ms <= 0 {
			return time.Time{}
		}
		return time.UnixMilli(ms).UTC()
	}
	return timeIn(text, time.RFC3339)
}

// joplinTime returns the time that the user sees, or else that of the database.
func joplinTime(keys map[string]string, key string) time.Time {
	for _, k := range []string{"user_" + key, key} {
		if t := timeIn(keys[k], time.RFC3339, "2006-01-02T15:04:05-0700"); !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}
