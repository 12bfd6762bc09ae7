package main

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var errTruncated = errors.New("not an ONNX file: a protobuf field is cut short")

// fields calls visit for each field of a protobuf message: value holds the
// bytes of a length-delimited field, scalar the number of any other.
func fields(b []byte, visit func(number int, value []byte, scalar uint64) error) error {
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		if n <= 0 {
			return errTruncated
		}
		b = b[n:]
		var value []byte
		var scalar uint64
		size := 0
		switch wire := key & 7; wire {
		case 0:
			scalar, size = binary.Uvarint(b)
			if size <= 0 {
				return errTruncated
			}
		case 1:
			size = 8
		case 2:
			length, n := binary.Uvarint(b)
			if n <= 0 || length > uint64(len(b)-n) {
				return errTruncated
			}
			size = n + int(length)
			value = b[n:size:size]
		case 5:
			size = 4
		default:
			return fmt.Errorf("not an ONNX file: protobuf wire type %d", wire)
		}
		if size > len(b) {
			return errTruncated
		}
		b = b[size:]
		if err := visit(int(key>>3), value, scalar); err != nil {
			return err
		}
	}
	return nil
}

// field returns the only length-delimited field of that number.
func field(b []byte, number int) (found []byte, err error) {
	err = fields(b, func(n int, value []byte, _ uint64) error {
		if n == number {
			found = value
		}
		return nil
	})
	if err == nil && found == nil {
		err = fmt.Errorf("not an ONNX file: no field %d", number)
	}
	return found, err
}
