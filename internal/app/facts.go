package app

import (
	"context"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
)

// TagRequest adds and removes tags.
type TagRequest struct {
	WriteOptions
	Ref         string
	Where       *ListRequest // in the place of Ref: the pages of the current space that meet it all
	Add, Remove []string
}

// Tag adds and removes tags of a page, or of many.
func (a *App) Tag(ctx context.Context, req TagRequest) (Written, error) {
	var steps []Step
	for _, t := range req.Add {
		steps = append(steps, EditStep{Edit: doc.AddTag{Tag: t}})
	}
	for _, t := range req.Remove {
		steps = append(steps, EditStep{Edit: doc.RemoveTag{Tag: t}})
	}
	return a.Change(ctx, ChangeRequest{WriteOptions: req.WriteOptions, Refs: one(req.Ref), Where: req.Where, Steps: steps})
}

// TimelineAddRequest adds a timeline entry.
type TimelineAddRequest struct {
	WriteOptions
	Ref                string
	Date               string // "" is today
	Source, Text, More string
}

// TimelineAdd adds an entry to a page's timeline, newest first.
func (a *App) TimelineAdd(ctx context.Context, req TimelineAddRequest) (Written, error) {
	if strings.TrimSpace(req.Text) == "" {
		return Written{}, kb.Errorf(kb.Usage, "the timeline entry has no text")
	}
	if req.Date == "" {
		req.Date = "today"
	}
	date, err := change.Date(req.Date, a.opts.Now())
	if err != nil {
		return Written{}, err
	}
	return a.change.Edit(ctx, "timeline-add", req.WriteOptions, req.Ref, doc.AddEntry{Date: date, Source: req.Source, Text: req.Text, Detail: req.More})
}

// StatusRequest sets where a page stands in its life.
type StatusRequest struct {
	WriteOptions
	Ref, Status string
}

// Status sets a page's status.
func (a *App) Status(ctx context.Context, req StatusRequest) (Written, error) {
	return a.Ageing().SetStatus(ctx, req.WriteOptions, req.Ref, req.Status)
}
