package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// captures are labelled notes.
//
//go:embed captures.txt
var captures string

// labelled is a note with what a reader says of it.
type labelled struct {
	subject string
	same    int // number of the note that it says again, from 1; 0 for none
	tags    []string
	text    string
}

func labelledNotes() (out []labelled, err error) {
	for line := range strings.Lines(captures) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), " |")
		if len(f) != 4 {
			return nil, fmt.Errorf("%d fields in %q", len(f), line)
		}
		n := labelled{subject: f[0], text: strings.TrimSpace(f[3])}
		for tag := range strings.SplitSeq(strings.TrimSpace(f[2]), ",") {
			if tag != "" {
				n.tags = append(n.tags, tag)
			}
		}
		if same := strings.TrimSpace(f[1]); same != "-" {
			if n.same, err = strconv.Atoi(same); err != nil {
				return nil, err
			}
			if n.same < 1 || n.same > len(out) || out[n.same-1].subject != n.subject {
				return nil, fmt.Errorf("note %d says again what note %d does, of another subject", len(out)+1, n.same)
			}
		}
		out = append(out, n)
	}
	return out, nil
}

// quality counts what was found, what of it is right, and what there was to find.
type quality struct{ found, right, all int }

func (q quality) String() string {
	return fmt.Sprintf("%.2f | %.2f | %d right of %d, and %d to find", float64(q.right)/float64(max(q.found, 1)), float64(q.right)/float64(max(q.all, 1)), q.right, q.found, q.all)
}

// measureCapture captures labelled notes, one after the other as they would come up, by
// the thresholds of the preset, and compares with the labels: tags that are found, pages
// that are named as similar, which are right where they say the same, and links that are
// made, which are right within a subject.
func measureCapture(ctx context.Context, c *setup, r *report) (err error) {
	notes, err := labelledNotes()
	if err != nil {
		return err
	}
	a, err := open(ctx, c, filepath.Join(c.temp, "capture.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if _, err := gitsync.AddSpace(ctx, a, space.AddRequest{Name: "k", Database: true, Preset: "capture"}); err != nil {
		return err
	}
	a = a.In("k")
	var tags, similar, links quality
	number := map[string]int{} // of notes, by ref
	for i, n := range notes {
		got, err := ingest.Capture(ctx, a, api.CaptureRequest{Text: n.text})
		if err != nil {
			return err
		}
		if _, err := embedding.Embed(ctx, a, embedding.Request{}); err != nil {
			return err
		}
		number[got.Ref] = i
		tags.found, tags.all = tags.found+len(got.Tags), tags.all+len(n.tags)
		for _, tag := range got.Tags {
			if slices.Contains(n.tags, tag) {
				tags.right++
			}
		}
		if n.same > 0 {
			similar.all++
		}
		similar.found += len(got.Similar)
		for _, h := range got.Similar {
			if n.same > 0 && number[h.Ref] == n.same-1 {
				similar.right++
			}
		}
		before := 0
		for _, other := range notes[:i] {
			if other.subject == n.subject {
				before++
			}
		}
		links.all += min(before, 3)
		for _, l := range got.Links {
			links.found++
			if notes[number[l.Ref]].subject == n.subject {
				links.right++
			}
		}
	}
	r.section(fmt.Sprintf("Capture of %d labelled notes", len(notes)))
	r.linef("| | precision | recall | |\n|---|---|---|---|")
	for _, row := range []struct {
		what string
		quality
	}{{"tags", tags}, {"similar pages", similar}, {"links", links}} {
		r.linef("| %s | %s |", row.what, row.quality)
	}
	return nil
}
