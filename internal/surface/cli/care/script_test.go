package care_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/surface/cli/scripttest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

func TestMain(m *testing.M) { scripttest.Main(m) }

func TestScripts(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "thousands of processes, each of which does one thing after the other")
	scripttest.Run(t, false)
}
