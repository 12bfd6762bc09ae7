package api

import (
	"strings"
	"time"
)

// Briefing lists the pages of a memory that need attention on a day.
type Briefing struct {
	Date     string            `json:"date"`
	Since    time.Time         `json:"since"`    // start of the listed changes
	Sections []BriefingSection `json:"sections"` // empty sections are left out
	Tokens   int               `json:"tokens"`
	Budget   int               `json:"budget_tokens"`
	LeftOut  int               `json:"left_out,omitempty"` // items omitted for lack of space
}

// Timeless is the briefing without the start of its changes.
func (b Briefing) Timeless() any {
	b.Since = time.Time{}
	return b
}

// BriefingSection holds the items of one kind.
type BriefingSection struct {
	Name    string         `json:"name"`
	Title   string         `json:"title"` // for people
	Total   int            `json:"total"`
	AtLeast bool           `json:"total_at_least,omitempty"` // there may be more: not all changes were examined
	LeftOut int            `json:"left_out,omitempty"`       // items omitted for lack of space
	Items   []BriefingItem `json:"items"`                    // most urgent first
}

// BriefingItem is one item that needs attention.
type BriefingItem struct {
	ID       string           `json:"id,omitempty"`  // of a contradiction or a gap
	Ref      string           `json:"ref,omitempty"` // of the page
	Title    string           `json:"title,omitempty"`
	Text     string           `json:"text,omitempty"`
	Date     string           `json:"date,omitempty"` // due date, or the date of the meeting, change or question
	Overdue  bool             `json:"overdue,omitempty"`
	Owner    string           `json:"owner,omitempty"`
	Priority string           `json:"priority,omitempty"`
	Line     int              `json:"line,omitempty"`
	People   []BriefingPerson `json:"people,omitempty"` // participants of a meeting
}

// BriefingPerson is a participant of a meeting.
type BriefingPerson struct {
	Ref     string `json:"ref,omitempty"` // "" without a page
	Name    string `json:"name"`
	Summary string `json:"summary,omitempty"`
}

// Lines formats an item as Markdown: one line, and one for each person.
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
