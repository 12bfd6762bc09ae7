package cli_test

import (
	"strings"
	"testing"
)

// A directory that was cloned with a policy that lets credentials pass: at a
// terminal that is asked for, no is the default, and the answer is remembered.
func TestScanOffIsAskedFor(t *testing.T) {
	t.Parallel()
	const token = "Token: " + "ghp_" + "x9Kd2LmQ7vRtY4wZ1sBn8cFh3jGpA6eUoXiV"
	type policy struct{ add, lets string }
	for answer, stored := range map[string]bool{"": false, "n\n": false, "y\n": true} {
		for _, p := range []policy{{"space add cloned", "off = true"}, {"space add cloned", `allow = ["github-token"]`}} {
			add := strings.Fields(p.add)
			u := newUser(t)
			u.write(t, "cloned/.cairn/space.toml", "format = \"markdown\"\n[secrets]\n"+p.lets+"\n")
			u.env.Stdin = strings.NewReader(answer)
			if _, errout, code := u.run(t.Context(), add...); code != 0 || !strings.Contains(errout, "[y/N]") || strings.Contains(errout, "nothing was accepted") == stored {
				t.Errorf("%q to %v: code %d, %q", answer, add, code, errout)
			}
			for i := range 2 {
				_, errout, code := u.run(t.Context(), "put", "page", "--in", "cloned", "--overwrite", token+strings.Repeat(".", i))
				if strings.Contains(errout, "[y/N]") || (code == 0) != stored {
					t.Errorf("%q to %v: put: code %d, %q", answer, add, code, errout)
				}
			}
			u.env.Stdin = strings.NewReader("y\n")
			if _, errout, _ := u.run(t.Context(), "space", "add", "cloned"); strings.Contains(errout, "[y/N]") == stored {
				t.Errorf("after %q it asks: %q", answer, errout)
			}
			if _, errout, code := u.run(t.Context(), "put", "other", "--in", "cloned", token); code != 0 {
				t.Errorf("agreed to: code %d, %q", code, errout)
			}
		}
	}
}
