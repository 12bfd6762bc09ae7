package operation_test

import (
	"encoding/json"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

func TestOperationsRefuseBadText(t *testing.T) {
	t.Parallel()
	for _, op := range operation.All() {
		_, err := op.Read(json.RawMessage("{\"ref\":\"\xff\"}"))
		if e := kb.AsError(err); e == nil || e.Code != kb.Usage || e.Details["byte"] == nil {
			t.Errorf("%s: %v", op.Name, err)
		}
	}
}
