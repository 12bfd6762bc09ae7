package main

import (
	"strings"
	"testing"
)

// Every task is done, within the aims.
func TestTasks(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), "", "../..", &out); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
	if rows := strings.Count(out.String(), "\n") - 2; rows != 20 {
		t.Errorf("%d tasks:\n%s", rows, out.String())
	}
	if strings.Contains(out.String(), "over the aim") {
		t.Errorf("tasks are over the aims:\n%s", out.String())
	}
}
