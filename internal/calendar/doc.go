// Package calendar is the room for work that dates trigger. Its own code is the loop that
// all such work shares: a Work plans changes of the pages of a space from the policy, the
// pages and the time, and Work.Run applies them, with retries, dry runs and reports.
// Routines change no pages: their schedule announces them.
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
