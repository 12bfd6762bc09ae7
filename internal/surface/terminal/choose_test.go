package terminal_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ list, fields, want string }{
		{`{"items":[{"a":1,"b":"<x>","c":[1]},{"b":"y"}],"total":2}`, "b,a", `{"items":[{"b":"<x>","a":1},{"b":"y"}],"total":2}`},
		{`{"total":0,"items":[]}`, "a", `{"total":0,"items":[]}`},
		{`{"a":1}`, "b", `{"a":1}`},
	} {
		got, err := terminal.Choose([]byte(tc.list), strings.Split(tc.fields, ","))
		if err != nil || string(got) != tc.want {
			t.Errorf("Choose(%s, %s) = %s, %v", tc.list, tc.fields, got, err)
		}
	}
}
