package git

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
)

// Where the fields of an entry of an index are.
const (
	statMode  = 24 // after times, device and inode
	statSize  = 40
	extended  = 0x4000 // in the flags: more flags follow
	indexHead = 12
	namePad   = 8
)

// readIndex returns the entries of an index, in the bytes of its file, with wanted names in
// the work tree. ok is false for an index that only git can read: a split or sparse one, one
// of a later version, a damaged one.
func (r *Repo) readIndex(text []byte, wanted map[string]bool) (out map[string]Entry, ok bool) {
	id := len(r.None) / 2
	if len(text) < indexHead+id || string(text[:4]) != "DIRC" {
		return nil, false
	}
	version, count := binary.BigEndian.Uint32(text[4:]), binary.BigEndian.Uint32(text[8:])
	if version < 2 || version > 4 {
		return nil, false
	}
	out = map[string]Entry{}
	at, end := indexHead, len(text)-id
	var name []byte // of the entry before
	for range count {
		start := at
		if at += statSize + id + 2; at > end {
			return nil, false
		}
		if binary.BigEndian.Uint16(text[at-2:])&extended != 0 && version > 2 {
			at += 2
		}
		if version == 4 {
			strip, n := stripped(text[min(at, end):end])
			if n == 0 || strip > len(name) {
				return nil, false
			}
			at += n
			name = name[:len(name)-strip]
		} else {
			name = name[:0]
		}
		n := bytes.IndexByte(text[min(at, end):end], 0)
		if n < 0 {
			return nil, false
		}
		name = append(name, text[at:at+n]...)
		at += n + 1
		if version < 4 { // padded with one to eight zeros
			at = start + (at-1-start+namePad)/namePad*namePad
		}
		if wanted[string(name)] {
			out[string(name)] = Entry{
				Mode: fmt.Sprintf("%06o", binary.BigEndian.Uint32(text[start+statMode:])),
				ID:   hex.EncodeToString(text[start+statSize : start+statSize+id]),
			}
		}
	}
	for at < end {
		if at+namePad > end || strings.Contains("link sdir", string(text[at:at+4])) {
			return nil, false
		}
		at += namePad + int(binary.BigEndian.Uint32(text[at+4:]))
	}
	return out, at == end
}

// stripped reads how many bytes of the name before are not in the next one, in n bytes.
func stripped(text []byte) (value, n int) {
	for n < len(text) && n < 5 {
		b := text[n]
		n++
		value = value<<7 | int(b&0x7f)
		if b&0x80 == 0 {
			return value, n
		}
		value++
	}
	return 0, 0
}
