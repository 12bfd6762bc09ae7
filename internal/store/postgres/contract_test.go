package postgres_test

import (
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/postgres"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
	"github.com/cairn-kb/cairn/internal/store/storetest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	pgtest.Shared(t)
	var urls sync.Map // by directory: two handles on one are on one memory
	storetest.Run(t, func(t *testing.T, dir string) store.Engine {
		url, ok := urls.Load(dir)
		if !ok {
			url, _ = urls.LoadOrStore(dir, pgtest.URL(t))
		}
		m, err := postgres.Driver{}.Open(t.Context(), url.(string), store.Options{Clock: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		})
		return m
	})
}
