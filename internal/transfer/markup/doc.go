// Package markup turns HTML into Markdown that keeps what notes are made of: headings, lists,
// check boxes, tables, code, links and emphasis. It drops styles, scripts and layout.
package markup
