package curate

import "testing"

// Of one more space than are kept, all others are still known.
func TestNearOfManySpaces(t *testing.T) {
	t.Parallel()
	var c compared
	for space := range int64(maxNear + 1) {
		near := c.nearIn(space)
		if c.nearIn(space) != near {
			t.Errorf("space %d is not kept", space)
		}
	}
	if len(c.near) != maxNear {
		t.Errorf("%d spaces are kept", len(c.near))
	}
}
