package lsp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	// maxMessage bounds one message: a page of the greatest size (64 MiB), escaped.
	maxMessage = 100 << 20
	// maxHeader bounds the header of a message. It has two short lines.
	maxHeader = 8 << 10
)

// errTooLong is the error for a message beyond maxMessage, which was skipped.
var errTooLong = fmt.Errorf("the message is longer than the %d MiB that one may have", maxMessage>>20)

// readFrame returns the content of the next message. errTooLong leaves the reader after it;
// after any other error the input cannot be read on. At the end of the input it is io.EOF.
func readFrame(r *bufio.Reader) ([]byte, error) {
	length, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	if length > maxMessage {
		if _, err := io.CopyN(io.Discard, r, length); err != nil {
			return nil, err
		}
		return nil, errTooLong
	}
	var content bytes.Buffer // grows with the bytes that come, not with the announced length
	if _, err := io.CopyN(&content, r, length); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return content.Bytes(), nil
}

// readHeader reads the header of a message, and returns the length of its content.
func readHeader(r *bufio.Reader) (int64, error) {
	length, read := int64(-1), 0
	for {
		line, err := r.ReadSlice('\n')
		read += len(line)
		switch {
		case errors.Is(err, bufio.ErrBufferFull) || read > maxHeader:
			return 0, errors.New("the header of a message is too long")
		case err != nil && read == 0:
			return 0, err
		case err != nil:
			return 0, io.ErrUnexpectedEOF
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			if length < 0 {
				return 0, errors.New("a message without Content-Length")
			}
			return length, nil
		}
		name, value, _ := strings.Cut(text, ":")
		if !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			continue
		}
		if length, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64); err != nil || length < 0 {
			return 0, errors.New("invalid Content-Length")
		}
	}
}

// writeFrame writes a message.
func writeFrame(w io.Writer, content []byte) error {
	frame := fmt.Appendf(make([]byte, 0, len(content)+32), "Content-Length: %d\r\n\r\n", len(content))
	_, err := w.Write(append(frame, content...))
	return err
}
