// Package markup converts HTML to Markdown with the elements of notes: headings,
// lists, check boxes, tables, code, links and emphasis. It drops styles, scripts
// and layout.
package markup
