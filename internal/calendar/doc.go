// Package calendar is the room for work that dates trigger. It has no code of its own.
//
// Its packages, in reading order:
//
//   - day: daily pages, their rotation, and templates
//   - retention: pages and sections past their time
//   - generated: parts of pages made from other pages
//   - routine: recurring work and when it is due
//   - presets: the pages that a preset brings
//   - tables: tables on pages, by row
//   - tree: a space as a tree of files
package calendar
