package doc

import (
	"testing"
	"time"
)

func TestPathDay(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"Journal/2024/03-05 Tuesday":    "2024-03-05",
		"2024/03-05":                    "2024-03-05",
		"2024/03-March/03-05 Tuesday":   "2024-03-05",
		"Daily/2024/03/05":              "2024-03-05",
		"Daily/2024/03-March/05":        "2024-03-05",
		"Daily/2024/03/05 Tuesday":      "2024-03-05",
		"2024/03/2024-03-06":            "2024-03-06",
		"2024-W10":                      "2024-03-04",
		"weeks/2020-W53":                "2020-12-28",
		"2024-W53":                      "",
		"2024-W00":                      "",
		"2024/13-05":                    "",
		"2024/02-30":                    "",
		"2024/notes":                    "",
		"2024/03-05-06":                 "",
		"12345/03-05":                   "",
		"project 12/03-05 meeting":      "",
		"2024/chapter/07":               "",
		"2024/03-05 Tuesday/attachment": "",
	} {
		if got := pathDay(file); got != want {
			t.Errorf("%s is of %q, want %q", file, got, want)
		}
	}
}

// TestFormattedDay: what FormatTime writes is read back, in each format that people use.
func TestFormattedDay(t *testing.T) {
	t.Parallel()
	day := time.Date(2024, 3, 5, 0, 0, 0, 0, time.UTC)
	for _, format := range []string{
		"DD-MM-YYYY", "DD.MM.YYYY", "MM-DD-YYYY", "D.M.YYYY", "YYYYMMDD", "YYYY/MM-DD dddd", "YYYY/MMMM/Do", "dddd, MMMM Do YYYY",
		"MMM D, YYYY", "YYYY/DDDD", "GGGG-[W]WW-E", "GGGG/[W]WW/E dddd", "YY.MM.DD", "[Journal DD]/YYYY-[Q]Q/MM.DD", "YYYY/MM MMMM/DD ddd", "YYYY/MM/DD.MM.YYYY", "Do MMMM YYYY HH:mm",
	} {
		for range 40 {
			day = day.AddDate(0, 0, 11)
			file := FormatTime(format, day)
			if got := formattedDay(format, file); got != day.Format(time.DateOnly) {
				t.Errorf("%s: %s is of %q, want %s", format, file, got, day.Format(time.DateOnly))
			}
		}
	}
	for _, c := range [][3]string{
		{"DD-MM-YYYY", "31-02-2024", ""},
		{"DD-MM-YYYY", "notes", ""},
		{"DD-MM-YYYY", "x/05-03-2024", ""},
		{Literally("My Days") + "/DD-MM-YYYY", "My Days/05-03-2024", "2024-03-05"},
		{"YYYY/MMMM/Do", "2024/März/5th", ""}, // a month in another language is not known
		{"YYYY/MM-MMMM/Do", "2024/03-März/5.", "2024-03-05"},
		{"YYYY-MM", "2024-03", "2024-03-01"},
		{"", "2024-03-05", ""},
	} {
		if got := formattedDay(c[0], c[1]); got != c[2] {
			t.Errorf("%s: %s is of %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

// TestFormatIsCompiledOnce: of the pages of a sync only the first has its format compiled.
func TestFormatIsCompiledOnce(t *testing.T) {
	t.Parallel()
	const format = "[compiled once] YYYY-MM-DD"
	formattedDay(format, "")
	if _, made := dayForms.Load(format); made {
		t.Error("a format was compiled for no path")
	}
	formattedDay(format, "notes/cat")
	first, made := dayForms.Load(format)
	if !made {
		t.Fatal("what a format compiles to was not kept")
	}
	for _, file := range []string{"compiled once 2024-03-05", "notes/dog"} {
		formattedDay(format, file)
		if now, _ := dayForms.Load(format); now != first {
			t.Errorf("the format was compiled again for %q", file)
		}
	}
}
