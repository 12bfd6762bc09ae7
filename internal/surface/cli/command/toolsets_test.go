package command

import (
	"github.com/cairn-kb/cairn/internal/memory"
	"testing"

	"github.com/spf13/cobra"
)

// A server with --read-only notes no gaps either.
func TestReadOnlyKeepsNothing(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--read-only"}} {
		var o Toolsets
		cmd := &cobra.Command{}
		o.AddFlags(cmd)
		if err := cmd.ParseFlags(args); err != nil {
			t.Fatal(err)
		}
		var opts memory.Options
		if o.Keep(&opts); opts.ReadOnly != (len(args) > 0) {
			t.Errorf("%q: read only %v", args, opts.ReadOnly)
		}
	}
}
