package importer

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

func gbrainFiles(t *tree) []File { return t.named("*.md") }

// looked is the number of files of a directory that are read to recognise an export of
// gbrain.
const looked = 200

// isGBrain reports whether a directory has a marker file of gbrain, or a page in its format.
func isGBrain(t *tree) bool {
	if _, err := os.Stat(filepath.Join(t.at, ".gbrain-source")); err == nil {
		return true
	}
	files := gbrainFiles(t)
	for _, f := range files[:min(len(files), looked)] {
		if head := string(f.head()); path.Base(f.name) == "RESOLVER.md" || strings.HasPrefix(head, "---\n") && strings.Contains(head, "\n<!-- timeline -->\n") {
			return true
		}
	}
	return false
}

var (
	// gbrainLine ends the truth of a page. A horizontal rule does so only before a heading
	// of the timeline, or before its first entry if no other heading follows.
	gbrainLine  = lazyregexp.New(`(?m)^[ \t]*(?:<!-- ?timeline ?-->|--- +timeline +---)[ \t]*$`)
	gbrainRule  = lazyregexp.New(`(?mi)^[ \t]*---[ \t]*\n(?:[ \t]*\n)*(?:(##[ \t]+(?:timeline|history)\b)|([-*][ \t]+(?:\*\*)?\d{4}-\d\d-\d\d(?:\*\*|[ \t]*[|:–—]|[ \t]+-[ \t])))`)
	gbrainOther = lazyregexp.New(`(?m)^#{1,6}[ \t]+(.+)$`)
)

// gbrain reads the Markdown of gbrain: pages with a truth and a timeline.
func gbrain(ctx context.Context, t *tree, r *onePass) error {
	var others []File
	used := map[string]bool{} // attachments
	for _, f := range t.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !isMarkdown(f) {
			others = append(others, f)
			continue
		}
		switch strings.ToLower(path.Base(f.name)) {
		case "readme.md", "resolver.md", "index.md", "schema.md", "log.md":
			r.leave("files", f.name, "it describes the directory: gbrain leaves it out, too")
			continue
		}
		text, err := f.text()
		if err != nil {
			r.leave("notes", f.name, kb.AsError(err).Message)
			continue
		}
		slug := strings.TrimSuffix(f.name, path.Ext(f.name))
		base := path.Base(slug)
		out := note{id: r.key("gbrain", slug), title: strings.NewReplacer("-", " ", "_", " ").Replace(base), kind: "concept", names: []string{slug, f.name, base}}
		if dir := path.Dir(f.name); dir != "." {
			out.folder = strings.Split(dir, "/")
		}
		for _, p := range (markdown.Codec{}).Parse(f.name, []byte(text)).Nodes[0].Metadata {
			out.gbrain(r, p)
		}
		truth, timeline := gbrainParts(withoutFrontmatter(text))
		relink := func(text string, to links) string {
			return relinkedBy(text, to, func(image bool, address, label string) (string, bool) {
				at := fileAt(f, address)
				if file, there := t.file(at); there && !isMarkdown(file) {
					name := path.Base(file.name)
					return named(label, name, fileName(name)), true
				}
				at = strings.TrimSuffix(at, ".md")
				if image || at == "" {
					return "", false
				}
				l := to.linked(at, label)
				return l, l != ""
			})
		}
		out.body = func(to links) string { return relink(truth, to) }
		if strings.TrimSpace(timeline) != "" {
			out.timeline = func(to links) string { return relink(timeline, to) }
		}
		outsideCode(text, func(text string) string {
			for _, m := range markdownLink().FindAllStringSubmatch(text, -1) {
				if file, there := t.file(fileAt(f, m[3])); there && !isMarkdown(file) && !used[file.name] {
					used[file.name] = true
					out.files = append(out.files, attached(file))
				}
			}
			return ""
		})
		if err := r.add(out); err != nil {
			return err
		}
	}
	for _, f := range others {
		if !used[f.name] {
			r.leave("files", f.name, "it is not Markdown, and no page names it")
		}
	}
	return nil
}

func isMarkdown(f File) bool { return strings.EqualFold(path.Ext(f.name), ".md") }

// gbrainParts returns the truth and the timeline of a page.
func gbrainParts(body string) (truth, timeline string) {
	line := gbrainLine().FindStringIndex(body)
	for _, m := range gbrainRule().FindAllStringSubmatchIndex(body, -1) {
		entries := max(m[2], m[4]) // else the heading above them
		switch {
		case line != nil && line[0] < m[0]:
			return body[:line[0]], body[line[1]:]
		case strings.TrimSpace(body[:m[0]]) != "" && (m[2] >= 0 || onlyTimeline(body[entries:])):
			return body[:m[0]], body[entries:]
		}
	}
	if line != nil {
		return body[:line[0]], body[line[1]:]
	}
	return body, ""
}

// onlyTimeline reports whether a text has no headings other than those of a timeline.
func onlyTimeline(text string) bool {
	return !slices.ContainsFunc(gbrainOther().FindAllStringSubmatch(text, -1), func(m []string) bool {
		heading := strings.ToLower(m[1])
		return !strings.HasPrefix(heading, "timeline") && !strings.HasPrefix(heading, "history")
	})
}

// withoutFrontmatter returns the text below the frontmatter.
func withoutFrontmatter(text string) string {
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		if _, body, closed := strings.Cut("\n"+rest, "\n---\n"); closed {
			return body
		}
	}
	return text
}

// gbrain adds a property of the frontmatter.
func (n *note) gbrain(r *onePass, p doc.Property) {
	values := slices.DeleteFunc(slices.Clone(p.Values), func(v string) bool { return kb.InLine(v) == "" })
	if len(values) == 0 {
		if p.Data == nil {
			return
		}
		values = []string{inWords(p.Data)}
	}
	for i, v := range values {
		values[i] = kb.InLine(v)
	}
	switch key := strings.ToLower(p.Key); key {
	case "title":
		n.title = values[0]
	case "type":
		n.kind = values[0]
	case "slug":
		n.names = append(n.names, values[0])
	case "tags":
		for _, v := range values {
			n.tags = append(n.tags, strings.Split(v, ",")...)
		}
	case "aliases":
		n.aliases = values
		n.names = append(n.names, values...)
	case "created", "created_at", "captured_at":
		n.created = palaceTime(values[0])
	case "updated", "updated_at":
		n.updated = palaceTime(values[0])
	default:
		name := vault.FileName(r.hide(p.Key), "")
		switch name {
		case "id", "status", "source", "summary", "permalink", "date":
			name = "gbrain-" + name
		}
		n.metadata = append(n.metadata, doc.Property{Key: name, Values: values, List: p.List})
	}
}
