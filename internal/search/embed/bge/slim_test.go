//go:build slim

package bge

import (
	"errors"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

func TestSlimBuildSaysSo(t *testing.T) {
	t.Parallel()
	var e *kb.Error
	if _, err := New("", 0); !errors.As(err, &e) || e.Code != kb.NotFound || e.Reason != kb.NoBuiltInModel || Available() {
		t.Errorf("New = %v, available %v; want %s for %s", err, Available(), kb.NotFound, kb.NoBuiltInModel)
	}
}
