package postgres

import (
	"net"
	"time"
)

// A peer that vanished is noticed after about ten seconds, before anybody has waited for
// longer than store.BusyTime and a little.
const (
	keepAliveIdle     = 4 * time.Second
	keepAliveInterval = 2 * time.Second
	keepAliveCount    = 3
)

// dialer opens connections that notice when their peer is gone.
func dialer(timeout time.Duration) *net.Dialer {
	return &net.Dialer{
		Timeout:         timeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: keepAliveIdle, Interval: keepAliveInterval, Count: keepAliveCount},
		Control:         boundUnacknowledged,
	}
}

// unacknowledged is how long sent data may stay without an answer from the other machine.
const unacknowledged = 10 * time.Second
