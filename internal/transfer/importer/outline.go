package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
	"github.com/cairn-kb/cairn/internal/transfer/markup"
)

// outlineBlock is a block of Roam (text in string) or Logseq (text in content).
type outlineBlock struct {
	UID      string         `json:"uid"`
	ID       string         `json:"id"`
	String   string         `json:"string"`
	Content  string         `json:"content"`
	Heading  int            `json:"heading"`
	Children []outlineBlock `json:"children"`
}

// outlinePage is a page of Roam or Logseq.
type outlinePage struct {
	outlineBlock
	Title   string          `json:"title"`
	Name    string          `json:"page-name"`
	Created int64           `json:"create-time"`
	Edited  int64           `json:"edit-time"`
	Author  string          `json:"create-email"`
	Facts   json.RawMessage `json:"properties"`
}

func (b *outlineBlock) text() string { return cmp.Or(b.String, b.Content) }
func (b *outlineBlock) uid() string  { return cmp.Or(b.UID, b.ID) }

// outline holds the data of referenced blocks for a reader of Roam and Logseq.
type outline struct {
	program string
	named   *spill // page and first line of the referenced blocks, by id; nil if they are not needed
}

func roamFiles(t *tree) (out []File) {
	for _, f := range t.named("*.json") {
		if elementsHave(f, "title") && (strings.Contains(string(f.head()), `"string"`) || strings.Contains(string(f.head()), `"edit-time"`)) {
			out = append(out, f)
		}
	}
	return out
}

// roam reads the JSON export of Roam Research.
func roam(ctx context.Context, t *tree, r *onePass) error {
	return outlines(ctx, "roam", t, r, eachRoam)
}

func eachRoam(ctx context.Context, t *tree, do func(outlinePage) error) error {
	return Each(ctx, roamFiles(t), func(_ context.Context, p outlinePage) error { return do(p) })
}

func logseqFiles(t *tree) (out []File) {
	for _, f := range t.named("*.json") {
		if fieldsOf(f, "blocks") && strings.Contains(string(f.head()), `"page-name"`) {
			out = append(out, f)
		}
	}
	return out
}

// logseq reads the JSON export of Logseq.
func logseq(ctx context.Context, t *tree, r *onePass) error {
	return outlines(ctx, "logseq", t, r, eachLogseq)
}

func eachLogseq(ctx context.Context, t *tree, do func(outlinePage) error) error {
	for _, f := range logseqFiles(t) {
		err := eachIn(ctx, f, map[string]func(json.RawMessage) error{"blocks": decoded(do)})
		if err != nil {
			return err
		}
	}
	return nil
}

var (
	blockRef   = lazyregexp.New(`\(\(([A-Za-z0-9_-]{6,40})\)\)`)
	roamTodo   = lazyregexp.New(`^\{\{(?:\[\[)?(TODO|DONE)(?:\]\])?\}\}\s*`)
	logseqTodo = lazyregexp.New(`^(TODO|DOING|NOW|LATER|WAITING|DONE|CANCELED|CANCELLED) +`)
	roamEmbed  = lazyregexp.New(`\{\{(?:\[\[)?embed(?:\]\])?:? *(.*?)\}\}`)
	highlight  = lazyregexp.New(`\^\^(.+?)\^\^`)
	italic     = lazyregexp.New(`(^|[^_\w])__([^_]+)__($|[^_\w])`)
	fact       = lazyregexp.New(`^([A-Za-z][A-Za-z0-9_-]*):: *(.+)$`)
)

// eachOutline calls a function with the pages of an outliner.
type eachOutline func(context.Context, *tree, func(outlinePage) error) error

// namedBlocks spills the blocks that other blocks refer to.
func namedBlocks(each eachOutline) func(context.Context, *tree, *fsys.Dir) error {
	return func(ctx context.Context, t *tree, into *fsys.Dir) (err error) {
		if t.spill, err = newSpill(into); err != nil {
			return err
		}
		var walk func(page string, b *outlineBlock, do func(string, *outlineBlock) error) error
		walk = func(page string, b *outlineBlock, do func(string, *outlineBlock) error) error {
			if err := do(page, b); err != nil {
				return err
			}
			for i := range b.Children {
				if err := walk(page, &b.Children[i], do); err != nil {
					return err
				}
			}
			return nil
		}
		over := func(do func(string, *outlineBlock) error) error {
			return each(ctx, t, func(p outlinePage) error { return walk(p.name(), &p.outlineBlock, do) })
		}
		named := map[uint64]struct{}{}
		if err := over(func(_ string, b *outlineBlock) error {
			for _, m := range blockRef().FindAllStringSubmatch(b.text(), -1) {
				named[t.spill.key(m[1])] = struct{}{}
			}
			return nil
		}); err != nil || len(named) == 0 {
			return errors.Join(err, t.spill.seal())
		}
		err = over(func(page string, b *outlineBlock) error {
			if _, is := named[t.spill.key(b.uid())]; !is {
				return nil
			}
			row, err := json.Marshal([2]string{page, firstLine(b.text())})
			if err != nil {
				return err
			}
			return t.spill.add(b.uid(), row)
		})
		return errors.Join(err, t.spill.seal())
	}
}

// outlines reads the pages of an outliner.
func outlines(ctx context.Context, program string, t *tree, r *onePass, each eachOutline) error {
	o := outline{program: program}
	if r.texts {
		o.named = t.spill
	}
	return each(ctx, t, func(p outlinePage) error {
		if p.name() == "" {
			r.leave("notes", p.uid(), "it has no title")
			return nil
		}
		out := note{
			title: p.name(), kind: "note", created: milli(p.Created), updated: milli(p.Edited),
			metadata: metadata("author", strings.TrimPrefix(p.Author, ":")),
		}
		out.id = r.key(program, cmp.Or(p.uid(), p.name()))
		if levels := strings.Split(p.name(), "/"); program == "logseq" && len(levels) > 1 {
			out.folder, out.title, out.names = levels[:len(levels)-1], levels[len(levels)-1], []string{p.name()}
		}
		facts, blocks := p.facts()
		for _, f := range facts {
			switch strings.ToLower(f.Key) {
			case "tags":
				out.tags = append(out.tags, strings.Split(strings.NewReplacer("[[", "", "]]", "", "#", "").Replace(f.Values[0]), ",")...)
			case "title", "id", "type", "aliases", "created", "updated", "source":
			default:
				out.metadata = append(out.metadata, f)
			}
		}
		out.body = func(to links) string {
			var b strings.Builder
			for i := range blocks {
				o.write(&b, &blocks[i], 0, to)
			}
			return b.String()
		}
		return r.add(out)
	})
}

func (p *outlinePage) name() string { return strings.TrimSpace(cmp.Or(p.Title, p.Name)) }

func milli(ms int64) time.Time {
	if ms <= 0 || ms > 253402300799000 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// facts returns the properties of a page, which are those of Logseq and those of a first
// block with nothing else, and the remaining blocks.
func (p *outlinePage) facts() (out []doc.Property, blocks []outlineBlock) {
	own, err := object(p.Facts)
	if err == nil {
		for _, key := range sortedKeys(own) {
			out = append(out, metadata(key, inWords(own[key]))...)
		}
	}
	blocks = p.Children
	if len(blocks) == 0 || len(blocks[0].Children) > 0 {
		return out, blocks
	}
	var more []doc.Property
	for _, line := range strings.Split(strings.TrimSpace(blocks[0].text()), "\n") {
		m := fact().FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			return out, blocks
		}
		if own[m[1]] == nil {
			more = append(more, metadata(m[1], m[2])...)
		}
	}
	return append(out, more...), blocks[1:]
}

// write renders a block and the blocks below it.
func (o *outline) write(b *strings.Builder, x *outlineBlock, depth int, to links) {
	text := strings.TrimSpace(x.text())
	if o.program == "logseq" {
		text = withoutFacts(text)
	}
	if text == "" && len(x.Children) == 0 {
		return
	}
	indent := strings.Repeat("  ", min(depth, 100))
	mark := "- "
	if m := roamTodo().FindStringSubmatch(text); m != nil && o.program == "roam" {
		text, mark = text[len(m[0]):], markup.Box(m[1] == "DONE")
	} else if m := logseqTodo().FindStringSubmatch(text); m != nil && o.program == "logseq" {
		text, mark = text[len(m[0]):], markup.Box(m[1] == "DONE" || m[1][0] == 'C')
	}
	if x.Heading > 0 && x.Heading <= 6 && !strings.HasPrefix(text, "#") {
		text = strings.Repeat("#", x.Heading) + " " + text
	}
	text = outsideCode(text, func(text string) string {
		text = roamEmbed().ReplaceAllString(text, "$1")
		text = blockRef().ReplaceAllStringFunc(text, func(ref string) string {
			var at [2]string // the page and the first line
			if row := o.named.newest(strings.Trim(ref, "()")); row == nil || json.Unmarshal(row, &at) != nil {
				return ref
			}
			quoted := unbracketed(at[1])
			if l := to.linked(at[0], quoted); l != "" {
				return l
			}
			return quoted
		})
		if o.program == "roam" {
			text = highlight().ReplaceAllString(text, "==$1==")
			text = italic().ReplaceAllString(text, "$1*$2*$3")
		}
		return text
	})
	text = relinked(text, to)
	for i, line := range strings.Split(text, "\n") {
		if i == 0 {
			fmt.Fprintf(b, "%s%s%s\n", indent, mark, line)
		} else {
			fmt.Fprintf(b, "%s  %s\n", indent, line)
		}
	}
	for i := range x.Children {
		o.write(b, &x.Children[i], depth+1, to)
	}
}

// withoutFacts removes the properties that Logseq keeps in a block's text.
func withoutFacts(text string) string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		if m := fact().FindStringSubmatch(strings.TrimSpace(line)); m != nil && (m[1] == "id" || m[1] == "collapsed") {
			continue
		}
		out = append(out, line)
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}
