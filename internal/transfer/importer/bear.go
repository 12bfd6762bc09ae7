package importer

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// bearInfo is info.json of a text bundle.
type bearInfo struct {
	Bear struct {
		ID       string `json:"uniqueIdentifier"`
		Created  string `json:"creationDate"`
		Changed  string `json:"modificationDate"`
		Trashed  any    `json:"trashed"`
		Archived any    `json:"archived"`
		Pinned   any    `json:"pinned"`
		Title    string `json:"title"`
	} `json:"net.shinyfrog.bear"`
}

// isBearText reports whether a file is the text of a bundle in a backup of Bear.
func isBearText(f File) bool {
	base, dir := strings.ToLower(path.Base(f.name)), strings.ToLower(path.Dir(f.name))
	return strings.HasSuffix(dir, ".textbundle") && strings.HasPrefix(base, "text.")
}

func isBear(t *tree) bool { return slices.ContainsFunc(t.files, isBearText) }

func isSet(v any) bool { return v == true || v == 1.0 || v == "1" || v == "true" }

var (
	bearTag  = lazyregexp.New(`(?m)(?:^|[\s(])#([\pL\pN_][\pL\pN_/-]*)`)
	bearWide = lazyregexp.New(`(?m)(?:^|[\s(])#([\pL\pN_][^#\n]*[\pL\pN_])#`)
	bearHead = lazyregexp.New(`\[\[([^\[\]|#/\n]+)/([^\[\]|#/\n]+)(\|[^\[\]\n]*)?\]\]`) // link to a heading of a note
	bearSize = lazyregexp.New(`<!-- *\{"(?:embed|width|preview|style)"[^<>]*\} *-->`)   // display options of an attachment
	bearLink = lazyregexp.New(`^bear://x-callback-url/open-note\?.*\bid=([0-9A-Za-z-]+)`)
)

// bear reads a backup of Bear (bear2bk), or a directory of text bundles.
func bear(ctx context.Context, t *tree, r *onePass) error {
	assets := map[string][]File{} // by bundle
	for _, f := range t.files {
		if dir, _, ok := strings.Cut(f.name, ".textbundle/assets/"); ok {
			assets[dir+".textbundle"] = append(assets[dir+".textbundle"], f)
		}
	}
	for _, f := range t.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !isBearText(f) {
			continue
		}
		dir := path.Dir(f.name)
		var info bearInfo
		if facts, there := t.file(path.Join(dir, "info.json")); there {
			b, err := facts.bytes(1 << 20)
			if err == nil {
				err = json.Unmarshal(b, &info)
			}
			if err != nil {
				return facts.damaged(0, err)
			}
		}
		text, err := f.text()
		if err != nil {
			return err
		}
		x := info.Bear
		name := strings.TrimSuffix(path.Base(dir), path.Ext(dir))
		if isSet(x.Trashed) {
			r.leave("notes", name, "it is in the trash")
			continue
		}
		out := note{
			id: r.idOr(x.ID, "bear", dir), title: firstLine(text), created: when(x.Created), updated: when(x.Changed), names: []string{x.ID, x.Title, name},
		}
		if out.title == "" {
			out.title = name
		}
		outsideCode(text, func(text string) string {
			text = bearWide().ReplaceAllStringFunc(text, func(tag string) string {
				if m := bearWide().FindStringSubmatch(tag); strings.Contains(m[1], " ") {
					out.tags = append(out.tags, m[1])
					return " "
				}
				return tag
			})
			for _, m := range bearTag().FindAllStringSubmatch(text, -1) {
				out.tags = append(out.tags, m[1])
			}
			return ""
		})
		if isSet(x.Archived) {
			out.metadata = append(out.metadata, metadata("archived", "true")...)
		}
		if isSet(x.Pinned) {
			out.metadata = append(out.metadata, metadata("pinned", "true")...)
		}
		for _, file := range assets[dir] {
			out.files = append(out.files, attached(file))
		}
		out.body = func(to links) string {
			text := outsideCode(text, func(text string) string {
				return bearHead().ReplaceAllStringFunc(bearSize().ReplaceAllString(text, ""), func(l string) string {
					m := bearHead().FindStringSubmatch(l)
					if to(m[1]+"/"+m[2]) != "" || to(m[1]) == "" {
						return l
					}
					return "[[" + m[1] + "#" + m[2] + m[3] + "]]"
				})
			})
			text = relinkedBy(text, to, func(_ bool, address, label string) (string, bool) {
				if m := bearLink().FindStringSubmatch(address); m != nil {
					l := to.linked(m[1], label)
					return l, l != ""
				}
				if at := fileAt(f, address); at != "" {
					if file, there := t.file(at); there {
						name := path.Base(file.name)
						return named(label, name, fileName(name)), true
					}
				}
				return "", false
			})
			first, rest, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
			if kb.InLine(strings.TrimLeft(first, "# ")) == kb.InLine(out.title) {
				return rest
			}
			return text
		}
		if err := r.add(out); err != nil {
			return err
		}
	}
	return nil
}
