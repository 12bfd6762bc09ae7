package importer

import (
	"runtime"
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// Values come in the order in which they were added, and their file has no name that a killed
// process leaves.
func TestSpill(t *testing.T) {
	t.Parallel()
	dir := apptest.OK(fsys.OpenDir(t.TempDir()))(t)
	defer dir.Close()
	s := apptest.OK(newSpill(dir))(t)
	for _, row := range [][2]string{{"b", "1"}, {"a", "2"}, {"c", ""}, {"b", "3"}} {
		if err := s.add(row[0], []byte(row[1])); err != nil {
			t.Fatal(err)
		}
	}
	if names := apptest.OK(dir.ReadDir("."))(t); len(names) > 0 && runtime.GOOS != "windows" {
		t.Errorf("%v", names)
	}
	if err := s.seal(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for value := range s.of("a", "b", "none", "b") {
		got = append(got, string(value))
	}
	if !slices.Equal(got, []string{"1", "2", "3"}) || string(s.newest("b")) != "3" || s.newest("none") != nil || s.newest("c") == nil {
		t.Errorf("%q", got)
	}
	s.rows[0].at = s.end // older values are not read: there may be as many as references to them
	if s.newest("b"); s.failed() != nil {
		t.Error("an older value is read")
	}
	if err := s.close(); err != nil || s.failed() != nil {
		t.Error(err, s.failed())
	}
	if s.newest("b"); s.failed() == nil {
		t.Error("a closed spill is read")
	}
}
