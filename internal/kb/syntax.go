package kb

import (
	"slices"
	"strings"
)

// Syntax is the dialect of the notes of a space, for differences between programs.
// The empty one is Obsidian's, which most programs follow. Package doc defines the
// differences. The format of day names may follow the name; see WithDays.
type Syntax string

// Syntaxes returns the named syntaxes, in the order of the documentation.
func Syntaxes() []Syntax { return []Syntax{"dendron", "logseq"} }

// Transcript is the syntax of pages with the turns of an agent's session: a heading
// for each turn, and text in which links and facts are ignored. Such pages are not
// edited, so it is not one of Syntaxes.
const Transcript Syntax = "transcript"

// Obsidian returns the syntax of a vault of Obsidian, by the settings of its links
// in .obsidian/app.json: newLinkFormat (shortest, relative or absolute) and
// useMarkdownLinks. dayNotes is the path of the note of a day as a format of
// moment.js, "" for a file name that is an ISO date. It is detected from the
// directory, and is not one of Syntaxes.
func Obsidian(newLinkFormat string, useMarkdownLinks bool, dayNotes string) Syntax {
	if newLinkFormat != "relative" && newLinkFormat != "absolute" {
		newLinkFormat = "shortest"
	}
	switch {
	case useMarkdownLinks:
		newLinkFormat += " markdown"
	case dayNotes != "":
		newLinkFormat += " wiki"
	}
	if dayNotes != "" {
		newLinkFormat += " " + dayNotes
	}
	return Syntax("obsidian " + newLinkFormat)
}

// IsKnown reports whether the syntax is empty, one of Syntaxes, or Transcript.
func (s Syntax) IsKnown() bool { return s == "" || s == Transcript || slices.Contains(Syntaxes(), s) }

// WithDays returns the syntax with day pages named by a Java date format, ""
// for the default. The result is not one of Syntaxes.
func (s Syntax) WithDays(format string) Syntax {
	if s == "" || format == "" {
		return s
	}
	return s + " " + Syntax(format)
}

// Parts returns the name of a syntax and its option: the format set by WithDays, or the
// settings of Obsidian.
func (s Syntax) Parts() (name Syntax, option string) {
	before, option, _ := strings.Cut(string(s), " ")
	return Syntax(before), option
}
