package webui

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb/safetext"
)

// node is a piece of a page. Text becomes a Node only by escaping, and HTML only through
// package render, which sanitizes it.
//
// html/template would do the same and cost 3.6 MB: with it the linker keeps every method
// of every type.
type node interface{ write(*bytes.Buffer) }

// text is words of any origin.
type text string

func (t text) write(b *bytes.Buffer) { b.WriteString(t.escaped()) }

// escaped is the text as HTML.
func (t text) escaped() string { return html.EscapeString(safetext.Text(string(t))) }

// raw is text that a person edits: every character of it, also those that are not shown
// elsewhere.
type raw string

func (r raw) write(b *bytes.Buffer) { b.WriteString(html.EscapeString(string(r))) }

// nodes are several, one after the other.
type nodes []node

func (n nodes) write(b *bytes.Buffer) {
	for _, x := range n {
		if x != nil {
			x.write(b)
		}
	}
}

// trusted is HTML that package render has sanitized, or that this package drew.
type trusted string

func (t trusted) write(b *bytes.Buffer) { b.WriteString(string(t)) }

// attr is an attribute. An empty name is none.
type attr struct{ name, value string }

func (attr) write(*bytes.Buffer) {}

type element struct {
	tag   string
	attrs []attr
	inner nodes
}

// el makes an element of "tag.class.class" and its attributes and content: attr, node,
// string or nil.
func el(name string, parts ...any) node {
	tag, classes, _ := strings.Cut(name, ".")
	e := &element{tag: tag}
	if classes != "" {
		e.attrs = append(e.attrs, attr{"class", strings.ReplaceAll(classes, ".", " ")})
	}
	for _, p := range parts {
		switch p := p.(type) {
		case nil:
		case attr:
			if p.name != "" {
				e.attrs = append(e.attrs, p)
			}
		case string:
			e.inner = append(e.inner, text(p))
		case node:
			e.inner = append(e.inner, p)
		default:
			panic(fmt.Sprintf("webui: a %T is not content", p))
		}
	}
	return e
}

// links are the attributes that hold addresses.
var links = []string{"href", "src", "action"}

// schemes are those that a link may have.
var schemes = []string{"http", "https", "mailto", "obsidian", "vscode", "org-protocol"}

// void are elements without content.
var void = []string{"input", "meta", "link", "br", "hr", "img"}

func (e *element) write(b *bytes.Buffer) {
	b.WriteByte('<')
	b.WriteString(e.tag)
	for _, a := range e.attrs {
		switch {
		case strings.HasPrefix(a.name, "on"), a.name == "style", a.name == "srcdoc":
			panic("webui: attribute " + a.name)
		case slices.Contains(links, a.name) && !safeLink(a.value):
			continue
		}
		b.WriteByte(' ')
		b.WriteString(a.name)
		b.WriteString(`="`)
		b.WriteString(html.EscapeString(safetext.Line(a.value)))
		b.WriteByte('"')
	}
	b.WriteByte('>')
	if slices.Contains(void, e.tag) {
		return
	}
	e.inner.write(b)
	b.WriteString("</")
	b.WriteString(e.tag)
	b.WriteByte('>')
}

// safeLink reports whether an address may be in a link: one of this server, or of a
// scheme that runs no script.
func safeLink(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	if u.Scheme == "" {
		return u.Host == "" && !strings.HasPrefix(address, "//") && !strings.HasPrefix(address, `/\`)
	}
	return slices.Contains(schemes, strings.ToLower(u.Scheme))
}

func href(to string) attr { return attr{"href", to} }

// opt is content that is there only if something holds.
func opt(yes bool, n node) node {
	if yes {
		return n
	}
	return nil
}

// flag is an attribute that is there only if something holds.
func flag(yes bool, name, value string) attr {
	if yes {
		return attr{name, value}
	}
	return attr{}
}

func each[T any](list []T, one func(T) node) nodes {
	out := make(nodes, 0, len(list))
	for _, x := range list {
		out = append(out, one(x))
	}
	return out
}
