package postgres

import (
	"errors"
	"syscall"
)

// tcpUserTimeout is the option TCP_USER_TIMEOUT, which package syscall lacks.
const tcpUserTimeout = 0x12

// boundUnacknowledged ends connections on which sent data is not acknowledged, where the
// probes of keep-alive are not sent.
func boundUnacknowledged(network, _ string, c syscall.RawConn) error {
	if network == "unix" {
		return nil
	}
	var set error
	err := c.Control(func(fd uintptr) {
		set = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(unacknowledged.Milliseconds()))
	})
	return errors.Join(err, set)
}
