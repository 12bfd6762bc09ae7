package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/calendar/routine"
	"github.com/cairn-kb/cairn/internal/knowledge/inbox"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
)

type dailyInput struct {
	Text  string `json:"text,omitempty" jsonschema:"to add to the note; without it the note is returned"`
	Date  string `json:"date,omitempty" jsonschema:"default today; also yesterday, tomorrow"`
	Space string `json:"space,omitempty"`
	writeOptions
}

type dailyAnswer struct {
	written
	Date string      `json:"date"`
	Ref  string      `json:"ref"`
	Note *readAnswer `json:"note,omitempty" jsonschema:"when no text was given"`
}

var dailyNote = define(Operation{
	Name: "daily", Title: "Today's note", Group: more, Route: Route{"POST", "/daily"},
	Reads: []string{"date", "space"}, Dry: "dry_run",
	Description: "The note of a day, made where it is missing as the vault's program would, such as Obsidian or Logseq. With text, adds it to its end.",
	first:       true,
}, func(ctx context.Context, a *memory.Session, in dailyInput) (dailyAnswer, error) {
	a = a.In(in.Space)
	notes, err := read.Freshen(ctx, a, read.FreshenRequest{})
	if err != nil {
		return dailyAnswer{}, err
	}
	d, err := day.Note(ctx, a, day.NoteRequest{WriteOptions: in.WriteOptions, Date: in.Date, Text: in.Text})
	w, err := wrote(ctx, a, d.Written, err, in.wait)
	out := dailyAnswer{written: w, Date: d.Date, Ref: d.Note.Ref}
	out.Notes = append(notes, out.Notes...)
	if err != nil || in.Text != "" || in.DryRun && len(out.Pages) > 0 {
		return out, err
	}
	note, err := readPage.run(ctx, a, readInput{Ref: d.Note.Ref})
	out.Note = &note
	return out, err
}, AtLeast("expected_version", 0))

type todayInput struct {
	Kind  string `json:"kind,omitempty" jsonschema:"of line, as the space's policy calls it: log, task, note; without it the page is returned"`
	Text  string `json:"text,omitempty"`
	Space string `json:"space,omitempty"`
	writeOptions
}

var todayPage = define(Operation{
	Name: "today", Title: "The page of the day", Group: vaults, Route: Route{"POST", "/today"},
	Reads: []string{"space"}, Dry: "dry_run",
	Description: "The page of the day, which starts again each day. With kind and text, adds a line to the section for that kind: work done (log), tasks (task), observations (note).",
	first:       true,
}, func(ctx context.Context, a *memory.Session, in todayInput) (dailyAnswer, error) {
	a = a.In(in.Space)
	notes, err := read.Freshen(ctx, a, read.FreshenRequest{})
	if err != nil {
		return dailyAnswer{}, err
	}
	d, err := day.AddToday(ctx, a, day.TodayRequest{WriteOptions: in.WriteOptions, Kind: in.Kind, Text: in.Text})
	w, err := wrote(ctx, a, d.Written, err, in.wait)
	out := dailyAnswer{written: w, Date: d.Date, Ref: d.Note.Ref}
	out.Notes = append(notes, out.Notes...)
	if err != nil || in.Kind != "" || in.DryRun && len(out.Pages) > 0 {
		return out, err
	}
	note, err := readPage.run(ctx, a, readInput{Ref: d.Note.Ref})
	out.Note = &note
	return out, err
}, AtLeast("expected_version", 0))

type inboxInput struct {
	Done  string `json:"done,omitempty" jsonschema:"ref of a page that was sorted; without it the pages that wait are listed"`
	Space string `json:"space,omitempty"`
	writeOptions
}

type inboxAnswer struct {
	written
	Waiting []briefPage `json:"waiting"`
}

var inboxPages = define(Operation{
	Name: "inbox", Title: "Inbox", Group: vaults, Route: Route{"POST", "/inbox"},
	Reads: []string{"space"}, Dry: "dry_run",
	Description: "The pages that wait for somebody to sort them. With done, moves one that was sorted out of the inbox; it is deleted days later.",
	first:       true,
}, func(ctx context.Context, a *memory.Session, in inboxInput) (out inboxAnswer, err error) {
	a = a.In(in.Space)
	out.Pages, out.Waiting = []changed{}, []briefPage{}
	notes, err := read.Freshen(ctx, a, read.FreshenRequest{})
	if err != nil {
		return out, err
	}
	if in.Done != "" {
		w, err := inbox.Done(ctx, a, inbox.DoneRequest{WriteOptions: in.WriteOptions, Ref: in.Done})
		if out.written, err = wrote(ctx, a, w, err, in.wait); err != nil {
			return out, err
		}
	}
	out.Notes = append(notes, out.Notes...)
	waiting, err := inbox.List(ctx, a)
	for _, p := range waiting.Items {
		out.Waiting = append(out.Waiting, briefly(p))
	}
	return out, err
}, AtLeast("expected_version", 0))

type routineInput struct {
	Done  string `json:"done,omitempty" jsonschema:"name of a routine that was done"`
	Text  string `json:"text,omitempty" jsonschema:"what came of it, in a line"`
	All   bool   `json:"all,omitempty" jsonschema:"those that are not due, too"`
	Space string `json:"space,omitempty"`
	writeOptions
}

type routineAnswer struct {
	written
	Routines []api.Routine `json:"routines" jsonschema:"read page and dossier, do it, and say done"`
}

var routines = define(Operation{
	Name: "routine", Title: "Routines", Group: vaults, Route: Route{"POST", "/routine"},
	Reads: []string{"all", "space"}, Dry: "dry_run",
	Description: "The routines that are due, with the page of their rules and their dossier. With done, notes that one was done.",
	first:       true,
}, func(ctx context.Context, a *memory.Session, in routineInput) (out routineAnswer, err error) {
	a = a.In(in.Space)
	out.Pages, out.Routines = []changed{}, []api.Routine{}
	notes, err := read.Freshen(ctx, a, read.FreshenRequest{})
	if err != nil {
		return out, err
	}
	if in.Done != "" {
		w, err := routine.DoneCurrent(ctx, a, routine.DoneRequest{WriteOptions: in.WriteOptions, Name: in.Done, Text: in.Text})
		if out.written, err = wrote(ctx, a, w, err, in.wait); err != nil {
			return out, err
		}
	}
	out.Notes = append(notes, out.Notes...)
	all, err := routine.ListCurrent(ctx, a)
	for _, r := range all {
		if r.Due || r.Problem != "" || in.All {
			out.Routines = append(out.Routines, r)
		}
	}
	return out, err
}, AtLeast("expected_version", 0))
