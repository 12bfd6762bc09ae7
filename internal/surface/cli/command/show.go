package command

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

// AboutGap is what may be said of a gap: its wording where that was approved.
func AboutGap(g api.Gap) string {
	var known []string
	for _, text := range []string{cmp.Or(g.Question, g.Words), g.Redacted, g.Context} {
		if text != "" {
			known = append(known, text)
		}
	}
	return strings.Join(known, "; ")
}

// GapBrief prints a gap as one line of fields.
func GapBrief(o *terminal.Page, g api.Gap) {
	o.Linef("%d\t%s\t%d\t%s\t%s", g.ID, string(g.Sensitivity), g.Count, AboutGap(g), g.Page)
}

// ReportChecks prints checks, and fails when one of them found an error.
func ReportChecks(p *Program, all []api.Check) error {
	err := p.Record(Whole(all), func(o *terminal.Page) { Checks(o, all) }, func(o *terminal.Page) {
		for _, c := range all {
			o.Linef("%s\t%s\t%s", c.Name, c.State, c.Reason)
		}
	})
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.State == "error" {
			return ErrProblems
		}
	}
	return nil
}

// Checks prints checks for people.
func Checks(o *terminal.Page, all []api.Check) {
	for _, c := range all {
		state := o.Style.Good(c.State)
		switch c.State {
		case "warning":
			state = o.Style.Warn(c.State)
		case "error":
			state = o.Style.Bad(c.State)
		}
		o.Textf(0, "%s  %s: %s", state, o.Style.Title(c.Name), c.Reason)
		for _, item := range c.Items {
			o.Textf(4, "%s", item)
		}
		if c.Remedy != "" {
			o.Textf(4, "%s", o.Style.Aside(c.Remedy))
		}
	}
}

// PlainText shows content without colours.
func PlainText(o *terminal.Page, s string) { o.WriteString(safetext.Text(s)) }

// ShowPage prints a page, or the part of it that is asked for.
func ShowPage(ctx context.Context, p *Program, a *memory.Session, req read.GetRequest) error {
	text, err := read.Get(ctx, a, req)
	if err != nil {
		return err
	}
	for _, w := range text.Warnings {
		if w.Code == freshness.WarnBehind || w.Code == freshness.WarnUnmerged || w.Code == freshness.WarnSidecar || w.Code == freshness.WarnPointer {
			p.Note("note: %s", w.Text)
		}
	}
	if text.Contested {
		p.Note("note: a contradiction concerns %s; cairn check shows it", text.Ref)
	}
	if text.Stale {
		p.Note("note: the truth of %s is older than its timeline", text.Ref)
	}
	if lines := EndedLines(text.Ended); lines != "" {
		p.Note("note: %s", lines)
	}
	if text.Bytes != nil && !p.Env.StdoutTTY {
		return p.Content(string(text.Bytes), text, nil)
	}
	return p.Content(text.Text, text, PlainText)
}

// maxEnded is the maximum number of lines with ended relations that are listed.
const maxEnded = 10

// EndedLines lists the lines with ended relations, "" for none.
func EndedLines(lines []int) string {
	if len(lines) == 0 {
		return ""
	}
	named := make([]string, min(len(lines), maxEnded))
	for i := range named {
		named[i] = strconv.Itoa(lines[i])
	}
	text := "ended by now: the relations in lines " + strings.Join(named, ", ")
	if len(lines) == 1 {
		text = "ended by now: the relation in line " + named[0]
	}
	if n := len(lines) - len(named); n > 0 {
		text += " and " + strconv.Itoa(n) + " more"
	}
	return text
}

// SpacePages is how many pages a space has, "-" where that is not known yet.
func SpacePages(s api.Space) string {
	if s.Pages == nil {
		return "-"
	}
	return strconv.Itoa(*s.Pages)
}

// SpaceTable prints spaces as a table.
func SpaceTable(o *terminal.Page, all []api.Space) {
	t := terminal.NewTable("SPACE", "PAGES", "WHERE", "SYNCED", "ABOUT").Paths(2).Extra(4)
	for _, s := range all {
		name, where, synced := s.Name, "in the database", "-"
		if s.Default {
			name += " *"
		}
		if s.Root != "" {
			where = s.Root
		}
		if s.Machine != "" {
			where = s.Machine + ":" + s.Root
		}
		if s.SyncedAt != nil {
			synced = terminal.Moment(*s.SyncedAt)
		}
		t.Row(o.Style.Title(name), SpacePages(s), where, o.Style.Aside(synced), s.Description)
	}
	t.Print(o)
}

// Name is a page as a table names it: its ref, with the space where a list is of several,
// or its short id.
func Name(pg api.Page, spaces bool) terminal.Name {
	if spaces {
		return terminal.Name{Full: pg.Ref, Short: pg.Short}
	}
	return terminal.Name{Full: pg.Slug, Short: pg.Short}
}

// RefName is a page of which only the ref and the id are known.
func RefName(ref string, id kb.ID) terminal.Name {
	digits := shortDigits
	if len(id) > versionAt && id[versionAt] == '7' {
		digits = timedDigits
	}
	return terminal.Name{Full: ref, Short: id.Short(digits)}
}

const (
	// shortDigits are so many that two pages of a million hardly ever share them.
	shortDigits = 10
	// timedDigits are the same for ids of version 7, of which twelve are a time.
	timedDigits = 20
	// versionAt is the place of the version in a UUID.
	versionAt = 14
)
