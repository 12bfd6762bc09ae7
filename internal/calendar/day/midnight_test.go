package day_test

import (
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// Where the clock skips midnight, the note of a day has the date of that day.
func TestNoteOfADayWithoutMidnight(t *testing.T) {
	t.Parallel()
	santiago, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Fatal(err)
	}
	b := apptest.New(t)
	// At 0:00 of this day clocks went forward to 1:00.
	b.Opts.Now = func() time.Time { return time.Date(2024, 9, 8, 9, 0, 0, 0, santiago) }
	root := b.Dir("notes", map[string]string{"a.md": "# A\n"})
	a := b.Open()
	apptest.OK(a.Spaces.Attach(t.Context(), root))(t)
	for date, want := range map[string]string{"": "daily/2024-09-08.md", "2024-09-08": "daily/2024-09-08.md", "yesterday": "daily/2024-09-07.md", "tomorrow": "daily/2024-09-09.md"} {
		got := apptest.OK(day.Note(t.Context(), a, day.NoteRequest{Date: date, Text: "A line."}))(t)
		if len(got.Pages) != 1 || got.Pages[0].Path != want {
			t.Errorf("%q: %+v, want %s", date, got.Pages, want)
		}
	}
}
