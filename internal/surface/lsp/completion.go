package lsp

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
	"github.com/cairn-kb/cairn/internal/memory/unsaved"
)

// maxItems is how many completions are offered at a time.
const maxItems = 60

// completer makes the completions at a place. Typed is the text before the place that a
// completion replaces.
type completer struct {
	t     *turn
	at    *place
	typed string
	list  completionList
}

// completion offers what may be written at a place.
func completion(ctx context.Context, t *turn, p positionParams) (any, error) {
	at, err := t.at(ctx, p)
	if err != nil || at == nil {
		return nil, err
	}
	c := &completer{t: t, at: at, list: completionList{Items: []completionItem{}}}
	start, _ := at.lines.line(min(max(p.Position.Line, 0), len(at.lines.starts)-1))
	before := string(at.Document.Text[min(start, at.offset):at.offset])
	if err := c.complete(ctx, before); err != nil {
		return nil, err
	}
	return c.list, nil
}

var (
	// taggedMarkdown and taggedOrg find the start of a tag at the end of a line's text.
	taggedMarkdown = lazyregexp.New(`(?:^|[\s(,;])#([\p{L}\p{N}_/-]*)$`)
	taggedOrg      = lazyregexp.New(`^(?:\*+ .*\s|#\+(?i:filetags): *):(?:[\p{L}\p{N}_@#%]+:)*([\p{L}\p{N}_@#%]*)$`)
	// related finds the start of a relation in an item of a list.
	related = lazyregexp.New(`^\s*[-*+]\s+([\p{L}][\p{L}\p{N} _-]*)$`)
	// keyed finds a property and the start of its value, in Markdown and in Org.
	keyedMarkdown = lazyregexp.New(`^([\p{L}\p{N}_-]*)(:\s*(.*))?$`)
	keyedOrg      = lazyregexp.New(`^\s*(?:#\+|:)([\p{L}\p{N}_-]*)(:\s*(.*))?$`)
	// listed finds an item of a list of values.
	listed = lazyregexp.New(`^\s*-\s+(.*)$`)
	// opensList finds a key with a list of values below it.
	opensList = lazyregexp.New(`^([\p{L}\p{N}_-]+):\s*$`)
)

// complete adds what fits after the text of a line before the place.
func (c *completer) complete(ctx context.Context, before string) error {
	org := c.at.Document.Format == doc.Org
	if open := strings.LastIndex(before, "[["); open >= 0 && open > strings.LastIndex(before, "]]") {
		return c.link(ctx, before[open+2:], org)
	}
	if c.inHead(before, org) {
		return c.property(ctx, before, org)
	}
	tagged := taggedMarkdown()
	if org {
		tagged = taggedOrg()
	}
	if m := tagged.FindStringSubmatch(before); m != nil {
		if !org && m[1] == "" && strings.TrimLeft(before, " ") == "#" {
			return nil // a heading begins
		}
		return c.tags(ctx, m[1])
	}
	if m := related().FindStringSubmatch(before); m != nil {
		return c.relations(ctx, m[1])
	}
	return nil
}

// add offers a completion that replaces the typed text.
func (c *completer) add(i completionItem, text string) {
	from := c.at.offset - len(c.typed)
	i.TextEdit = textEdit{c.at.lines.span(doc.Span{Start: from, End: c.at.offset}), text}
	i.SortText = fmt.Sprintf("%04d", len(c.list.Items))
	i.FilterText = cmp.Or(c.typed, i.Label)
	c.list.Items = append(c.list.Items, i)
}

// closing is the end of a completion, "" where the text goes on with it.
func (c *completer) closing(end string) string {
	if bytes.HasPrefix(c.at.Document.Text[c.at.offset:], []byte(end)) {
		return ""
	}
	return end
}

// link completes the target of a link: a page, or a part of one.
func (c *completer) link(ctx context.Context, inner string, org bool) error {
	mark := "#"
	if org {
		mark = "::"
	}
	if strings.Contains(inner, "|") || org && strings.Contains(inner, "][") {
		return nil // the text of the link
	}
	if name, part, ok := strings.Cut(inner, mark); ok {
		return c.parts(ctx, name, part, org)
	}
	c.typed, c.list.Incomplete = inner, true
	v, err := c.t.vocabulary(ctx, c.at.File)
	if err != nil {
		return err
	}
	found := v.Matching(strings.TrimPrefix(inner, "id:"), maxItems)
	targets, err := c.t.reader.Targets(ctx, c.at.File, found)
	if err != nil {
		return err
	}
	for i, f := range found {
		text := targets[i]
		switch {
		case strings.HasPrefix(text, "[["): // a page of another space
			text = strings.TrimSuffix(strings.TrimPrefix(text, "[["), "]]")
		case org && strings.HasPrefix(text, "id:"):
			text += "][" + linkText(cmp.Or(f.Alias, f.Page.Title))
		case f.Alias != "" && !strings.EqualFold(text, f.Alias) && !org:
			text += "|" + linkText(f.Alias)
		}
		detail := f.Page.Slug
		if f.Page.Status != kb.Active {
			detail += " (" + string(f.Page.Status) + ")"
		}
		c.add(completionItem{
			Label: cmp.Or(f.Alias, f.Page.Title), Kind: itemFile, Detail: detail, Documentation: c.summary(f.Page),
		}, text+c.closing("]]"))
	}
	return nil
}

// linkText leaves out of the text of a link what would end it.
func linkText(s string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("[", "", "]", "", "|", "-").Replace(s)), " ")
}

func (c *completer) summary(p kb.Page) *markup {
	if p.Summary == "" {
		return nil
	}
	m := c.t.markup(cut(p.Summary, maxExcerpt))
	return &m
}

// parts completes the heading or block of a page, "" for the text itself.
func (c *completer) parts(ctx context.Context, name, part string, org bool) error {
	d, n := c.at.Document, &c.at.Document.Nodes[c.at.NodeAt(c.at.offset)]
	if strings.TrimSpace(name) != "" {
		inner := "[[" + name + "]]"
		other := c.t.reader.Parse(c.at.File, []byte(inner))
		other, err := c.t.reader.Resolved(ctx, other)
		if err != nil {
			return err
		}
		if len(other.Links) == 0 || other.Links[0].Page == nil {
			return nil
		}
		text, node, err := c.t.reader.Load(ctx, *other.Links[0].Page)
		if err != nil {
			return err
		}
		d, n = text.Document, &text.Document.Nodes[node]
	}
	c.typed, c.list.Incomplete = part, true
	if block, ok := strings.CutPrefix(part, "^"); ok && !org {
		for _, b := range blocks(d, n) {
			if strings.HasPrefix(strings.ToLower(b.id), strings.ToLower(block)) && len(c.list.Items) < maxItems {
				c.add(completionItem{Label: "^" + b.id, Kind: itemReference, Detail: b.line}, "^"+b.id+c.closing("]]"))
			}
		}
		return nil
	}
	typed := strings.ToLower(strings.TrimLeft(part, "*#"))
	for _, h := range n.Headings {
		if h.Text == "" || !strings.Contains(strings.ToLower(h.Text), typed) || len(c.list.Items) == maxItems {
			continue
		}
		text := linkText(strings.NewReplacer("#", " ", "^", " ").Replace(h.Text))
		if org {
			text = "*" + text
		}
		c.add(completionItem{Label: h.Text, Kind: itemReference, Detail: h.Path}, text+c.closing("]]"))
	}
	return nil
}

// blockMark finds the id of a block at the end of a line.
var blockMark = lazyregexp.New(`(?m)^(.*?)(?:^|[ \t])\^([A-Za-z0-9-]+)[ \t\r]*$`)

// block is an id with the text of its line.
type block struct{ id, line string }

// blocks returns the blocks of a node that have an id.
func blocks(d *doc.Document, n *doc.Node) (out []block) {
	for _, m := range blockMark().FindAllSubmatch(d.Text[n.Span.Start:n.Span.End], -1) {
		out = append(out, block{string(m[2]), cut(strings.TrimSpace(string(m[1])), 80)})
	}
	return out
}

// counted offers words that begin as typed, those used most first, each with a text after it.
func (c *completer) counted(words []api.Count, typed string, kind int, after string) {
	c.typed = typed
	key := strings.ToLower(typed)
	for _, w := range words {
		if len(c.list.Items) == maxItems {
			c.list.Incomplete = true
			return
		}
		if lower := strings.ToLower(w.Value); strings.HasPrefix(lower, key) || strings.Contains(lower, "/"+key) && key != "" {
			detail := ""
			if w.Count > 0 {
				detail = "used " + api.Plural(w.Count, "time")
			}
			c.add(completionItem{Label: w.Value, Kind: kind, Detail: detail}, w.Value+after)
		}
	}
}

func (c *completer) tags(ctx context.Context, typed string) error {
	v, err := c.t.vocabulary(ctx, c.at.File)
	if err == nil {
		c.counted(v.Tags, typed, itemKeyword, "")
	}
	return err
}

// relations completes the type of a relation, and begins its link.
func (c *completer) relations(ctx context.Context, typed string) error {
	v, err := c.t.vocabulary(ctx, c.at.File)
	if err != nil {
		return err
	}
	c.counted(v.Relations, typed, itemField, " [[")
	return nil
}

// inHead reports whether the place is in the metadata of its text.
func (c *completer) inHead(before string, org bool) bool {
	if org {
		return keyedOrg().MatchString(before) && !strings.HasPrefix(before, "#+begin")
	}
	// The parser takes it for text while a line of it is half written.
	text := c.at.Document.Text
	opening := doc.LineEnd(text, 0)
	if strings.TrimRight(string(text[:opening]), " \t\r\n") != "---" || c.at.offset < opening || strings.HasPrefix(before, "---") {
		return false
	}
	for line := range bytes.Lines(text[opening:c.at.offset]) {
		if strings.TrimRight(string(line), " \t\r\n") == "---" {
			return false
		}
	}
	return true
}

// property completes the key of a property, or a value of it.
func (c *completer) property(ctx context.Context, before string, org bool) error {
	v, err := c.t.vocabulary(ctx, c.at.File)
	if err != nil {
		return err
	}
	pattern := keyedMarkdown()
	if org {
		pattern = keyedOrg()
	}
	m := pattern.FindStringSubmatch(before)
	switch item := listed().FindStringSubmatch(before); {
	case !org && item != nil:
		return c.values(v, c.keyAbove(), item[1])
	case m == nil:
		return nil
	case m[2] == "":
		c.counted(v.Keys, m[1], itemProperty, ":"+c.closing(" "))
		return nil
	}
	value := m[3]
	if i := strings.LastIndexAny(value, "[,"); i >= 0 && !org { // of a list in one line
		value = strings.TrimLeft(value[i+1:], " ")
	}
	if org && strings.EqualFold(m[1], "filetags") {
		return c.tags(ctx, value[strings.LastIndexByte(value, ':')+1:])
	}
	return c.values(v, m[1], value)
}

// keyAbove returns the key of the list that the line is in.
func (c *completer) keyAbove() string {
	lines := strings.Split(string(c.at.Document.Text[:c.at.offset]), "\n")
	for _, line := range slices.Backward(lines[:len(lines)-1]) {
		if listed().MatchString(line) {
			continue
		}
		if m := opensList().FindStringSubmatch(strings.TrimRight(line, "\r")); m != nil {
			return m[1]
		}
		return ""
	}
	return ""
}

// values offers values of a property.
func (c *completer) values(v *unsaved.Vocabulary, key, typed string) error {
	key = doc.PropertyKey(key)
	words := v.Values[key]
	switch key {
	case "tags", "tag", "keywords":
		words = v.Tags
	case "status":
		for _, s := range kb.Statuses {
			if !slices.ContainsFunc(words, func(w api.Count) bool { return w.Value == string(s) }) {
				words = append(words[:len(words):len(words)], api.Count{Value: string(s)})
			}
		}
	}
	c.counted(words, typed, itemValue, "")
	return nil
}
