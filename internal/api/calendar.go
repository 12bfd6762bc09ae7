package api

import (
	"fmt"
	"strings"
	"time"
)

// RetentionReport is what retention did with a page, or reports about it.
type RetentionReport struct {
	Space    string     `json:"space"`
	Page     string     `json:"page"`              // path
	Changed  *time.Time `json:"changed,omitempty"` // when it was last, of one that goes
	To       string     `json:"to,omitempty"`      // path to which it moved
	Sections []string   `json:"sections,omitempty"`
	Large    []string   `json:"large,omitempty"` // sections that are larger than they should be
	Write    int64      `json:"write,omitempty"`
}

// String returns the report as a line.
func (r RetentionReport) String() string {
	var parts []string
	switch {
	case r.Changed != nil && r.To != "":
		parts = append(parts, fmt.Sprintf("%s moved to %s", r.Page, r.To))
	case r.Changed != nil:
		parts = append(parts, r.Page+" deleted")
	}
	if len(r.Sections) > 0 {
		parts = append(parts, fmt.Sprintf("%s: %s removed", r.Page, strings.Join(r.Sections, ", ")))
	}
	if len(r.Large) > 0 {
		parts = append(parts, fmt.Sprintf("%s: %s is large", r.Page, strings.Join(r.Large, ", ")))
	}
	return strings.Join(parts, "; ")
}

// Changes reports whether the page changed.
func (r RetentionReport) Changes() bool { return r.Changed != nil || len(r.Sections) > 0 }

// GeneratedReport is the result of generating a page.
type GeneratedReport struct {
	Space   string `json:"space"`
	Page    string `json:"page"` // path
	Made    bool   `json:"made,omitempty"`
	Problem string `json:"problem,omitempty"` // why it stays as it is
	Write   int64  `json:"write,omitempty"`
}

// String returns the report as a line.
func (r GeneratedReport) String() string {
	switch {
	case r.Problem != "":
		return r.Page + " stays as it is: " + r.Problem
	case r.Made:
		return r.Page + " was missing"
	}
	return r.Page + " is generated again"
}

// Migration lists pages that had an older name.
type Migration struct {
	Space string         `json:"space"`
	Write int64          `json:"write,omitempty"`
	Items []MigratedPage `json:"items"`
	Total int            `json:"total"`

	DryRun bool `json:"dry_run,omitempty"`
}

// MigratedPage is one of them.
type MigratedPage struct {
	From  string `json:"from"`
	To    string `json:"to"`
	State string `json:"state"`         // moved, merged, brought; kept: both stay
	Why   string `json:"why,omitempty"` // of one that is kept
}

// Daily is the note of a day after a write.
type Daily struct {
	Written
	Date string `json:"date"` // YYYY-MM-DD
	Note Page   `json:"note"`
}
