package upkeep_test

import (
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/upkeep"
)

// A hook that moves changes what a read or a write does: the remote is asked before
// anything is written, and pages of a past day are turned over before they are changed.
func TestHooksAreInOrder(t *testing.T) {
	t.Parallel()
	h := upkeep.Hooks()
	var answer []string
	for _, x := range h.AfterAnswer {
		answer = append(answer, x.Name)
	}
	if want := []string{memory.HookGap}; !slices.Equal(answer, want) {
		t.Errorf("after an answer: %q, want %q", answer, want)
	}
	if len(h.AfterRead) != 1 || h.AfterRead[0].Name != memory.HookUse {
		t.Errorf("after a read: %+v", h.AfterRead)
	}
	for _, tt := range []struct {
		when  string
		hooks []memory.Hook
		want  []string
	}{
		{"before a read", h.BeforeRead, []string{memory.HookRotate}},
		{"after a sync", h.AfterSync, []string{memory.HookRotate, memory.HookGenerate}},
		{"before a write", h.BeforeWrite, []string{memory.HookFetch, memory.HookRotate}},
		{"behind the remote", h.Behind, []string{memory.HookPull}},
		{"after a write", h.AfterWrite, []string{memory.HookGenerate}},
	} {
		var got []string
		for _, x := range tt.hooks {
			got = append(got, x.Name)
			if guarded := x.Name == memory.HookFetch || x.Name == memory.HookPull; x.Guarded != guarded {
				t.Errorf("%s: guarded of %s is %v", tt.when, x.Name, x.Guarded)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.when, got, tt.want)
		}
	}
}
