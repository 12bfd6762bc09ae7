package operationtest

import (
	"os"
	"strings"
	"testing"
)

// At follows keys and indices into a JSON value.
func At(t testing.TB, v any, path ...any) any {
	t.Helper()
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, ok := v.(map[string]any)
			if !ok {
				t.Fatalf("no %q in %v", p, v)
			}
			v = m[p]
		case int:
			l, ok := v.([]any)
			if !ok || p >= len(l) {
				t.Fatalf("no element %d in %v", p, v)
			}
			v = l[p]
		}
	}
	return v
}

// Table compares the table between <!-- name --> and <!-- /name --> of a
// document with what it should be, or writes it.
func Table(t testing.TB, file, name, table string, update bool) {
	t.Helper()
	from, to := "<!-- "+name+" -->\n", "<!-- /"+name+" -->\n"
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(old), from)
	_, tail, ok2 := strings.Cut(rest, to)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", file)
	}
	want := head + from + table + to + tail
	if update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(old) {
		t.Errorf("the %s in %s are not what the operations say; write them with -update", name, file)
	}
}
