package org

import (
	"fmt"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc/doctest"
)

func TestContract(t *testing.T) {
	fixtures := []doctest.Fixture{{Path: "notes/page.org", Source: []byte(page)}}
	for i, s := range seeds {
		fixtures = append(fixtures, doctest.Fixture{Path: fmt.Sprintf("seed-%d.org", i), Source: []byte(s)})
	}
	doctest.Run(t, Codec{}, fixtures)
}
