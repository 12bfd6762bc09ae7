package care

import (
	"bytes"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/cli/commandtest"
)

func TestJobFailuresLetNoControlsThrough(t *testing.T) {
	t.Parallel()
	const evil = commandtest.Evil
	var said bytes.Buffer
	timer := &command.Program{Env: command.Env{Stderr: &said}}
	jobFailures(timer, api.MaintainResult{List: api.List[api.JobReport]{Items: []api.JobReport{
		{Job: evil, Failures: []api.JobFailure{{Message: evil, Hint: evil}}},
	}}}, true)
	if commandtest.Harmless(t, said.String(), "maintain"); !commandtest.Shown(said.String()) {
		t.Errorf("a job that fails says %q", said.String())
	}
}
