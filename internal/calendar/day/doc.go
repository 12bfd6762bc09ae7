// Package day rotates pages of a day, a week or a month: the text of the page is
// copied to another page, and the page starts over. The first read of a day
// triggers the rotation, in one atomic write.
//
// No text of a day is lost: the old text of the other page is kept in a separate
// file until its day is recorded, and a newer day returns when an editor saves the text
// of a past one over it. Pages are copied, not moved, so each keeps its id, its history
// and the links to it.
//
// The location of a daily note follows the configuration of Obsidian, Logseq,
// Dendron or Foam in a directory of notes, else the conventions of org-roam's
// dailies, else it is daily/YYYY-MM-DD. This part reads configuration and decides;
// it does not write or read the clock.
//
// New pages can be created from templates: those of the space, in .cairn/templates,
// and the built-in ones. Templates only plan; the caller writes the page.
package day
