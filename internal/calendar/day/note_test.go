package day_test

import (
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// The note of a day is of the day where the space is.
func TestNoteOfTheDayOfTheSpace(t *testing.T) {
	t.Parallel()
	b := newBed(t, "id = \"7655a114-538a-51ea-b901-b74aa64beadb\"\nname = \"k\"\ntime_zone = \"Asia/Tokyo\"\n", time.Date(2026, 11, 25, 20, 30, 0, 0, time.UTC))
	got := apptest.OK(day.AddToday(t.Context(), b.app, day.TodayRequest{Kind: "log", Text: "Rose."}))(t)
	if got.Date != "2026-11-26" {
		t.Errorf("the note is of %s", got.Date)
	}
	apptest.OK(day.Note(t.Context(), b.app, day.NoteRequest{Date: "yesterday", Text: "Slept."}))(t)
	want := map[string]string{"daily/2026-11-26.md": "- 05:30 Rose.\n", "daily/2026-11-25.md": "Slept.\n"}
	for name, text := range b.files() {
		if text != want[name] {
			t.Errorf("%s:\n%s\nwant\n%s", name, text, want[name])
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}
