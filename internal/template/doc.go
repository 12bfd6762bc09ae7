// Package template makes new pages of templates: those of the space, in
// .cairn/templates, and those that cairn brings. It plans; who asks for the page
// writes it.
package template
