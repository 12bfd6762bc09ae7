// Package daily says where the note of a day is: as the configuration of
// Obsidian, Logseq, Dendron or Foam in a directory of notes says, else as
// org-roam's dailies are kept, or daily/YYYY-MM-DD. It reads configuration and
// decides; it writes nothing and knows no clock.
package daily
