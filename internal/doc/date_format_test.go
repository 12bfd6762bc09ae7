package doc_test

import (
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

func TestFormatTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 3, 15, 4, 5, 678e6, time.FixedZone("", 3600)) // a Saturday
	for format, want := range map[string]string{
		"YYYY-MM-DD":              "2026-01-03",
		"YYYY/MM-MMMM/DD dddd":    "2026/01-January/03 Saturday",
		"dddd, MMMM Do YYYY":      "Saturday, January 3rd 2026",
		"ddd DD MMM YY":           "Sat 03 Jan 26",
		"GGGG-[W]WW E":            "2026-W01 6",
		"gggg-ww d dd":            "2026-01 6 Sa",
		"[Daily] D.M.":            "Daily 3.1.",
		"HH:mm:ss h:mm A a H k":   "15:04:05 3:04 PM pm 15 15",
		"Q DDD DDDD SSS X ZZ":     "1 3 003 678 1767449045 +0100",
		"YYYYMMDDHHmmss":          "20260103150405",
		"日记 YYYY年M月D日":            "日记 2026年1月3日",
		"Mo Qo Wo wo do DDDo \\D": "1st 1st 1st 1st 6th 3rd D",
	} {
		if got := doc.FormatTime(format, at); got != want {
			t.Errorf("%q writes %q, want %q", format, got, want)
		}
	}
	for day, want := range map[string]string{"2025-12-27": "2025-52", "2025-12-28": "2026-01", "2026-01-04": "2026-02", "2024-01-01": "2024-01"} {
		d, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		if got := doc.FormatTime("gggg-ww", d); got != want {
			t.Errorf("%s is in the week %s, want %s", day, got, want)
		}
	}
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 22: "22nd", 23: "23rd"} {
		if got := doc.FormatTime("Do", time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC)); got != want {
			t.Errorf("the day %d is %q", n, got)
		}
	}
}

func FuzzFormatTime(f *testing.F) {
	f.Add("YYYY-MM-DD[x] SSSSSSSSS \\", int64(0))
	f.Fuzz(func(_ *testing.T, format string, at int64) {
		doc.FormatTime(format, time.Unix(at%1e10, 0).UTC())
	})
}

// TestDayTitles: a page of a day is called as the formats say that Logseq offers.
func TestDayTitles(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{
		"":                    "Nov 21st, 2026",
		"do MMMM yyyy":        "21st November 2026",
		"E, dd-MM-yyyy":       "Sat, 21-11-2026",
		"EEE, MM/dd/yyyy":     "Sat, 11/21/2026",
		"EEEE, dd.MM.yyyy":    "Saturday, 21.11.2026",
		"yyyy-MM-dd EEEE":     "2026-11-21 Saturday",
		"yyyyMMdd":            "20261121",
		"yyyy年MM月dd日":         "2026年11月21日",
		"'Journal of' d.M.yy": "Journal of 21.11.26",
	} {
		s := doc.SyntaxOf(kb.Syntax("logseq").WithDays(format))
		for _, name := range []string{"journals/2026_11_21.md", "2026-11-21.org"} {
			if got := s.PageName(name); got != want {
				t.Errorf("%q: %s is called %q, want %q", format, name, got, want)
			}
		}
		if got := s.PageName("pages/2026_11_21 plan.md"); got != "2026_11_21 plan" {
			t.Errorf("%q: a page that is no day is called %q", format, got)
		}
	}
	if got := doc.SyntaxOf("").PageName("2026_11_21.md"); got != "2026_11_21" {
		t.Errorf("without a syntax a day is called %q", got)
	}
}
