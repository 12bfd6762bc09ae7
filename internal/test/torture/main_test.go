package torture

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/cmd/cairn/cairntest"
)

var (
	rounds = flag.Int("torture.rounds", 0, "how often tests kill; 0 is a number of their own")
	large  = flag.Bool("torture.large", false, "read hostile files of the largest kind, too")
	seed   = flag.Uint64("torture.seed", 1, "seed of what the processes do and of the moments when they are killed")
)

// killRounds is how often a test kills that has no number of its own.
func killRounds() int { return cmp.Or(*rounds, 5) }

// childEnv makes the test binary act as another process: "role argument".
const childEnv = "CAIRN_TORTURE_CHILD"

// roles are what the test binary can be besides a test.
var roles = map[string]func(arg string) error{
	"load":   keepBusy,
	"adder":  adder,
	"holder": holder,
}

func TestMain(m *testing.M) {
	role, arg, ok := strings.Cut(os.Getenv(childEnv), " ")
	if !ok {
		os.Exit(cairntest.Main(m))
	}
	if err := roles[role](arg); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
