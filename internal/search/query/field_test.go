package query

import "testing"

func TestInField(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"a":                        "title:a",
		`a* "b c" -d tag:x name:e`: `title:a* title:"b c" NOT title:d name:e`,
		"(a OR -(b c)) status:x":   "title:a OR NOT (title:b title:c)",
		"tag:x":                    "",
	} {
		if got := InField(Parse(input, testNow).Root, Title).String(); got != want {
			t.Errorf("%s: %s, want %s", input, got, want)
		}
	}
}
