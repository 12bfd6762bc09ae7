package care

import "testing"

// The order of examples in the specification of Semantic Versioning.
func TestVersionsInOrder(t *testing.T) {
	t.Parallel()
	ordered := []string{"0.1.0", "v0.9.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "v1.0.0-beta.11", "1.0.0-rc.1", "1.0.0+build", "1.0.10", "1.2.0"}
	for i, a := range ordered {
		for j, b := range ordered {
			v, ok := readVersion(a)
			w, also := readVersion(b)
			if got := v.compare(w); !ok || !also || (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%s compares with %s as %d", a, b, got)
			}
		}
	}
	for _, text := range []string{"", "v1", "1.2", "(devel)", "1.2.x", "<!doctype html>", "-1.0.0"} {
		if v, ok := readVersion(text); ok {
			t.Errorf("%q is read as %+v", text, v)
		}
	}
}

func TestLatest(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"v0.2.0\n": "v0.2.0", " 0.3.0 \r\nnotes\n": "0.3.0", `{"tag_name":"v1.0.0","version":""}`: "v1.0.0",
		`{"version":"0.2.0"}`: "0.2.0", `{"version":`: "", "": "",
	} {
		if got := latest([]byte(text)); got != want {
			t.Errorf("%q holds %q, want %q", text, got, want)
		}
	}
}
