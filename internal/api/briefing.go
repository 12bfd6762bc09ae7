package api

import (
	"strings"
	"time"
)

// Briefing lists the pages of a memory that need attention on a day.
type Briefing struct {
	Date     string            `json:"date"`
	Since    time.Time         `json:"since"`    // what changed is listed from then on
	Sections []BriefingSection `json:"sections"` // empty sections are left out
	Tokens   int               `json:"tokens"`
	Budget   int               `json:"budget_tokens"`
	LeftOut  int               `json:"left_out,omitempty"` // items that found no room
}

// Timeless is the briefing without the time since which it lists changes.
func (b Briefing) Timeless() any {
	b.Since = time.Time{}
	return b
}

// BriefingSection holds the items of one kind.
type BriefingSection struct {
	Name    string         `json:"name"`
	Title   string         `json:"title"` // for people
	Total   int            `json:"total"`
	AtLeast bool           `json:"total_at_least,omitempty"` // there may be more: not all changes were looked at
	LeftOut int            `json:"left_out,omitempty"`       // items that found no room
	Items   []BriefingItem `json:"items"`                    // the most urgent first
}

// BriefingItem is one thing that needs attention.
type BriefingItem struct {
	ID       string           `json:"id,omitempty"`  // of a contradiction or a gap
	Ref      string           `json:"ref,omitempty"` // of the page
	Title    string           `json:"title,omitempty"`
	Text     string           `json:"text,omitempty"`
	Date     string           `json:"date,omitempty"` // when it is or was due, is held, changed or was asked
	Overdue  bool             `json:"overdue,omitempty"`
	Owner    string           `json:"owner,omitempty"`
	Priority string           `json:"priority,omitempty"`
	Line     int              `json:"line,omitempty"`
	People   []BriefingPerson `json:"people,omitempty"` // participants of a meeting
}

// BriefingPerson is somebody whom one is to meet.
type BriefingPerson struct {
	Ref     string `json:"ref,omitempty"` // "" for one without a page
	Name    string `json:"name"`
	Summary string `json:"summary,omitempty"`
}

// Lines are an item as Markdown: one line, and one for each person.
func (i BriefingItem) Lines() []string {
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	add(i.Date)
	if i.Overdue {
		add("overdue")
	}
	if i.Title != "" {
		add("**" + i.Title + "**")
	}
	if i.Ref != "" {
		add("(" + i.Ref + ")")
	}
	if i.ID != "" {
		add("[" + i.ID + "]")
	}
	if i.Priority != "" {
		add("priority " + i.Priority)
	}
	if i.Owner != "" {
		add("owner " + i.Owner)
	}
	line := "- " + strings.Join(parts, " ")
	if i.Text != "" {
		if len(parts) > 0 {
			line += ": "
		}
		line += i.Text
	}
	lines := []string{line}
	for _, p := range i.People {
		line := "  - " + p.Name
		if p.Ref != "" {
			line += " (" + p.Ref + ")"
		}
		if p.Summary != "" {
			line += ": " + p.Summary
		}
		lines = append(lines, line)
	}
	return lines
}
