package remote

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"net/http"
	"time"
)

// NewClient returns a client with its own connections, which follows the proxy variables of
// the environment.
func NewClient() *http.Client {
	return &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}}
}

// Wait is a World.Wait in real time.
func Wait(ctx context.Context, d time.Duration) error {
	pause, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-pause.Done()
	return ctx.Err()
}

// Chance is a World.Chance.
func Chance() float64 {
	var b [8]byte
	// It never fails: without randomness the process exits.
	_, _ = rand.Read(b[:])
	return float64(binary.LittleEndian.Uint64(b[:])>>11) / (1 << 53)
}
