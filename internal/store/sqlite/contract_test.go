package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T, dir string) store.Engine {
		return openAt(t, filepath.Join(dir, "memory.db"), Options{})
	})
}
