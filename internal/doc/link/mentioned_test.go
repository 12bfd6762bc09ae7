package link

import (
	"reflect"
	"testing"
)

func TestMentioned(t *testing.T) {
	t.Parallel()
	names := [][]string{
		{"Ada Lovelace", "Ada"}, {"Notes"}, {"山田さくら"}, {"Cone 6"}, {"R&D plan"}, {"Nobody"}, {""}, {"O'Brien"},
	}
	text := "Met ADA LOVELACE and ada today.\nNo notes, but Notes.\n今日は山田さくらと cone 6.\n\nAda's r&d  plan (O'Brien)\nAdam Notestown\n"
	want := [][]int{{1, 5}, {2}, {3}, {3}, {5}, nil, nil, {5}}
	if got := Mentioned(text, names); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
