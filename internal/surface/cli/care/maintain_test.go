package care

import (
	"bytes"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/cli/commandtest"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
)

func TestJobFailuresLetNoControlsThrough(t *testing.T) {
	t.Parallel()
	const evil = commandtest.Evil
	var said bytes.Buffer
	timer := &command.Program{Env: command.Env{Stderr: &said}}
	jobFailures(timer, jobs.MaintainResult{List: api.List[jobs.JobReport]{Items: []jobs.JobReport{
		{Job: evil, Failures: []jobs.JobFailure{{Message: evil, Hint: evil}}},
	}}}, true)
	if commandtest.Harmless(t, said.String(), "maintain"); !commandtest.Shown(said.String()) {
		t.Errorf("a job that fails says %q", said.String())
	}
}
