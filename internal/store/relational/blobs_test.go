package relational

import (
	"runtime"
	"strings"
	"testing"
	"weak"
)

// A large text that was read is held by its reader alone.
func TestUnpackedTextsAreNotKept(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a line of words\n", largeBlob/8)
	stored := compressor().EncodeAll([]byte(text), nil)
	kept := func() weak.Pointer[byte] {
		b, err := unpack(stored, int64(len(text)), codecZstd)
		if err != nil || string(b) != text {
			t.Fatalf("%d bytes, %v", len(b), err)
		}
		return weak.Make(&b[0])
	}()
	runtime.GC()
	if kept.Value() != nil {
		t.Error("the text is still in memory")
	}
}
