package doc

import "testing"

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
