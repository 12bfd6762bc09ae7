package org

import (
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
)

// reportedKeys maps keys with another name in Org to their general names.
var reportedKeys = map[string]string{"filetags": "tags", "roam_aliases": "aliases"}

func reportedKey(key string) string {
	if name, ok := reportedKeys[key]; ok {
		return name
	}
	return key
}

// fields returns the metadata lines of a node in order, with the reported names. The line of
// a heading's tags is the tags only.
func (t *tree) fields(node int) []doc.Key {
	var fields []doc.Key
	if root := t.roots[node]; root >= 0 {
		if h := t.headings[root]; h.tags != nil {
			fields = append(fields, doc.Key{Name: "tags", Value: h.tagsAt, Span: h.tagsAt})
		}
	}
	for _, p := range t.properties(t.roots[node]) {
		fields = append(fields, doc.Key{Name: reportedKey(p.key), Value: p.value, Span: p.line, More: p.plus})
	}
	if node == 0 {
		for _, k := range t.keywords {
			if !settings[k.key] {
				fields = append(fields, doc.Key{Name: reportedKey(k.key), Value: k.value, Span: k.line})
			}
		}
	}
	return fields
}

// metadata converts fields to properties. A line ":key+:" belongs to the property of its
// key.
func (t *tree) metadata(node int) []doc.Property {
	var list []doc.Property
	first := map[string]int{}
	raw := map[int][]string{} // values of all lines of a property
	seen := map[string]bool{}
	for _, p := range t.properties(t.roots[node]) {
		if seen[p.key] && !p.plus {
			t.warnings = append(t.warnings, warning{"property-duplicate", "A property occurs twice; the first one counts.", p.line.Start})
		}
		seen[p.key] = true
	}
	for _, f := range t.fields(node) {
		value := string(t.text[f.Value.Start:f.Value.End])
		i, known := first[f.Name]
		if f.More && known {
			raw[i] = append(raw[i], value)
			if list[i].Span.End == f.Span.Start {
				list[i].Span.End = f.Span.End
			}
			continue
		}
		if !known {
			first[f.Name] = len(list)
		}
		raw[len(list)] = []string{value}
		list = append(list, doc.Property{Key: f.Name, Span: f.Span})
	}
	for i := range list {
		list[i].Values, list[i].List = readValue(list[i].Key, strings.Join(raw[i], " "))
	}
	return list
}

// describe fills the fields of a node that come from its metadata.
func describe(n *doc.Node) {
	n.ID = text(n, "id")
	if n.ID == "" {
		n.ID = text(n, "identifier")
	}
	if title := text(n, "title"); title != "" && n.Heading < 0 {
		n.Title = title
		if strings.Contains(title, "[[") {
			n.Title = plainText([]byte(title)) // links are replaced by their text
		}
	}
	var tags []string
	for _, p := range n.Metadata {
		switch p.Key {
		case "tags":
			tags = append(tags, p.Values...)
		case "aliases":
			n.Aliases = append(n.Aliases, p.Values...)
		case "roam_refs":
			n.Refs = readRefs(p.Values)
		}
	}
	n.Tags, n.Aliases = doc.Tags(tags), doc.Names(n.Aliases)
	n.Aliases = slices.DeleteFunc(n.Aliases, func(a string) bool { return a == n.Title })
	n.Status, n.Summary, n.Type = text(n, "status"), text(n, "summary"), text(n, "type")
	for _, tag := range n.Tags {
		if n.Type == "" && typeTags[tag] {
			n.Type = tag
		}
	}
	n.Created = moment(n, "created", "date")
	n.Updated = moment(n, "updated", "last_modified")
}

// text returns the first value of a property, "" if there is none.
func text(n *doc.Node, key string) string {
	if p, ok := n.Property(key); ok && len(p.Values) > 0 {
		return p.Values[0]
	}
	return ""
}

// moment returns the first of the properties that is a date.
func moment(n *doc.Node, keys ...string) time.Time {
	for _, key := range keys {
		if t, ok := doc.ParseDate(text(n, key)); ok {
			return t
		}
	}
	return time.Time{}
}
