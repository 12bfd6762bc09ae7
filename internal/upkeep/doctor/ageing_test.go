package doctor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// Where no schedule runs and nobody asked what is stale, doctor says that pages never
// aged, once they could have.
func TestPagesNeverAged(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	clock := b.Clock(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), time.Millisecond)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Name: "k", Database: true, Preset: "capture"}))(t)
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Name: "plain", Database: true}))(t)
	maintenance := func(a *memory.Session) api.Check {
		for _, c := range apptest.OK(doctor.Doctor(t.Context(), a, false))(t) {
			if c.Name == "maintenance" {
				return c
			}
		}
		t.Fatal("no such check")
		return api.Check{}
	}
	if c := maintenance(a); c.State != "ok" {
		t.Errorf("of a new space: %+v", c)
	}
	clock.Advance(72 * time.Hour)
	if c := maintenance(a); c.State != "warning" || c.Reason != "pages never aged in k, which have rules for it" || !strings.Contains(c.Remedy, "cairn maintain --install") {
		t.Errorf("%+v", c)
	}
	apptest.OK(ageing.Stale(t.Context(), a.In("k"), ageing.StaleRequest{Pass: true}))(t)
	if c := maintenance(a); c.State != "ok" {
		t.Errorf("after a pass: %+v", c)
	}
}
