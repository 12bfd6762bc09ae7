package postgres_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// A server that is stopped without a warning, under load, loses nothing that was acknowledged.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "stops a server again and again")
	s, err := pgtest.New()
	pgtest.Need(t, err)
	t.Cleanup(func() {
		_ = s.Control("stop", "-m", "immediate") // it may have stopped
		_ = s.Close()
	})
	const rounds, writers = 50, 6
	m := open(t, s.URL("crash"))
	var mu sync.Mutex
	made := map[string]bool{}
	for round := range rounds {
		stop, started := make(chan struct{}), make(chan struct{}, writers)
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				for n := 0; ; n++ {
					select {
					case <-stop:
						return
					default:
					}
					key := fmt.Sprintf("%d/%d/%d", round, w, n)
					if err := set(t.Context(), m, key, "x"); err == nil {
						mu.Lock()
						made[key] = true
						mu.Unlock()
					}
					if n == 20 {
						started <- struct{}{}
					}
				}
			})
		}
		for range writers {
			<-started
		}
		if err := s.Control("restart", "-m", "immediate"); err != nil {
			t.Error(err)
		}
		close(stop)
		wg.Wait()
		for key := range made {
			if get(t, m, key) != "x" {
				t.Errorf("round %d: %s was acknowledged and is lost", round, key)
			}
		}
		clear(made)
	}
}
