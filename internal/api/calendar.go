package api

import (
	"fmt"
	"strings"
	"time"
)

// RetentionReport describes the retention of a page.
type RetentionReport struct {
	Space    string     `json:"space"`
	Page     string     `json:"page"`              // path
	Changed  *time.Time `json:"changed,omitempty"` // last change, of a removed page
	To       string     `json:"to,omitempty"`      // path to which it moved
	Sections []string   `json:"sections,omitempty"`
	Large    []string   `json:"large,omitempty"` // sections above the size limit
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
	Problem string `json:"problem,omitempty"` // reason why it is unchanged
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

// Migration lists pages that were moved from an older name.
type Migration struct {
	Space string         `json:"space"`
	Write int64          `json:"write,omitempty"`
	Items []MigratedPage `json:"items"`
	Total int            `json:"total"`

	DryRun bool `json:"dry_run,omitempty"`
}

// MigratedPage is the outcome for one page.
type MigratedPage struct {
	From  string `json:"from"`
	To    string `json:"to"`
	State string `json:"state"`         // moved, merged, brought; kept: both stay
	Why   string `json:"why,omitempty"` // reason for keeping it
}

// Daily is the note of a day after a write.
type Daily struct {
	Written
	Date string `json:"date"` // YYYY-MM-DD
	Note Page   `json:"note"`
}

// RotationAction is the rotation of a page. The values are stable.
type RotationAction string

// Actions.
const (
	RotationNone      RotationAction = ""          // its date is current
	RotationMade      RotationAction = "made"      // it was missing or empty
	RotationDated     RotationAction = "dated"     // it had no date, and has one now
	RotationCorrected RotationAction = "corrected" // its date was in the future, because of a wrong clock
	RotationTurned    RotationAction = "turned"    // its day is over
	RotationRestored  RotationAction = "restored"  // the text of a past day was saved over it
)

// RotationReport describes the rotation of a page.
type RotationReport struct {
	Space  string         `json:"space"`
	Page   string         `json:"page"` // path
	Action RotationAction `json:"action"`
	From   string         `json:"from,omitempty"` // former date of the page
	Date   string         `json:"date"`           // present date
	To     string         `json:"to,omitempty"`   // path of the page with its former text
	Kept   string         `json:"kept,omitempty"` // path of the former text of that page
	Write  int64          `json:"write,omitempty"`
}

// String describes the rotation.
func (r RotationReport) String() string {
	switch r.Action {
	case RotationMade:
		return fmt.Sprintf("%s was missing or empty and begins with %s", r.Page, r.Date)
	case RotationDated:
		return fmt.Sprintf("%s had no date: it is of %s now", r.Page, r.Date)
	case RotationCorrected:
		return fmt.Sprintf("%s was dated in the future (%s); reset to %s", r.Page, r.From, r.Date)
	}
	out := fmt.Sprintf("%s of %s is %s now", r.Page, r.From, r.To)
	if r.Action == RotationRestored {
		out = fmt.Sprintf("%s is of %s again: the text of %s was saved over it", r.Page, r.Date, r.From)
		if r.To != "" {
			out += " and is in " + r.To
		}
	}
	if r.Kept != "" {
		out += ", which is kept as " + r.Kept
	}
	return out
}

// Routine is the state of a routine of a space.
type Routine struct {
	Name    string     `json:"name"`
	Flow    string     `json:"flow,omitempty"`
	Page    string     `json:"page"`              // path of the page with its rules
	Dossier string     `json:"dossier,omitempty"` // path
	Due     bool       `json:"due"`
	Since   *time.Time `json:"since,omitempty"` // when it became due
	Last    *time.Time `json:"last_run,omitempty"`
	Next    *time.Time `json:"next_run,omitempty"` // when it is due again
	Problem string     `json:"problem,omitempty"`  // reason why its due time is unknown
}

// Announced is an announced routine that became due.
type Announced struct {
	Space string `json:"space"`
	Routine
	Ran bool `json:"ran,omitempty"` // the configured command ran, and succeeded
}
