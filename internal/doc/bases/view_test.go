package bases

import (
	"reflect"
	"strings"
	"testing"
)

// A view that is written is read as it was.
func TestViews(t *testing.T) {
	t.Parallel()
	for _, v := range []View{
		{Name: "All"},
		{Name: "Projects", Types: []string{"project"}, Tags: []string{"a/b"}, Folder: "plans/x y", Where: []string{"stage=design", "priority>2", "due!=2026-01-01", "owner=*", "-tag:done", `name=a "b"`}, Order: []string{"stage", "due date"}, Sort: "due", Down: true},
		{Name: "Newest", Sort: "updated"}, {Name: "Oldest", Sort: "created", Down: true}, {Name: "Titles", Sort: "title"},
	} {
		text, err := Format(v)
		if err != nil {
			t.Fatal(err)
		}
		read, err := Views(text)
		if err != nil || len(read) != 1 || !reflect.DeepEqual(read[0], v) {
			t.Errorf("%+v is written as\n%s and read as %+v, %v", v, text, read, err)
		}
	}
	if _, err := Format(View{Where: []string{"path:x"}}); err == nil {
		t.Error("a condition that cannot be written is written")
	}
}

func TestViewsOfObsidian(t *testing.T) {
	t.Parallel()
	views, err := Views([]byte(active + "  - type: cards\n    name: Cards\n"))
	if err != nil || len(views) != 2 {
		t.Fatalf("%+v, %v", views, err)
	}
	want := View{Name: "Active [[projects]]", Folder: "plans/projects", Where: []string{"state!=archived"}, Order: []string{"state"}}
	if views[0].Types, views[0].Tags = nil, nil; !reflect.DeepEqual(views[0], want) {
		t.Errorf("the view is %+v", views[0])
	}
	if !strings.Contains(views[1].Needs, "cards") {
		t.Errorf("cards need %q", views[1].Needs)
	}
	for text, needs := range map[string]string{
		"filters:\n  or:\n    - a == 1\n": "all hold", "filters: 'file.name.contains(\"x\")'\n": "the filter", "formulas:\n  x: a + 1\n": "formulas",
		"views:\n  - type: table\n    groupBy: {property: a}\n": "groupBy", "views:\n  - type: table\n    sort: [{property: a}, {property: b}]\n": "several orders",
		"filters: &x [*x]\n": "all hold",
	} {
		views, err := Views([]byte(text))
		if err != nil || len(views) != 1 || !strings.Contains(views[0].Needs, needs) {
			t.Errorf("%q: %+v, %v", text, views, err)
		}
	}
	if _, err := Views([]byte("- a")); err == nil {
		t.Error("a list is read as a base")
	}
}
