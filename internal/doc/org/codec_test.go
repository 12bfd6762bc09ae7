package org

import (
	"fmt"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc/doctest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	fixtures := []doctest.Fixture{{Path: "notes/page.org", Source: []byte(page)}}
	for i, s := range seeds {
		if s == crlfPage || s == openPage {
			continue // the suite makes these forms itself
		}
		fixtures = append(fixtures, doctest.Fixture{Path: fmt.Sprintf("seed-%d.org", i), Source: []byte(s)})
	}
	doctest.Run(t, Codec{}, fixtures)
}
