// Package day rotates pages of a day, a week or a month: the text of the page
// becomes that of another one, and it starts over. The first reader of a day
// does it once, in one write: either all of it happens or none.
//
// No text of a day is lost: the other page's old text stays as a file of its
// own until somebody recorded its day. The pages are copied and not moved, so
// that each keeps its id, its history and the links to it.
//
// Package daily says where the note of a day is: as the configuration of
// Obsidian, Logseq, Dendron or Foam in a directory of notes says, else as
// org-roam's dailies are kept, or daily/YYYY-MM-DD. It reads configuration and
// decides; it writes nothing and knows no clock.
//
// Package template makes new pages of templates: those of the space, in
// .cairn/templates, and those that cairn brings. It plans; the caller writes
// the page.
package day
