package main

import (
	"context"
	"net/http"
	"time"
)

// reachTime is how long a server on this machine may take to answer.
const reachTime = 2 * time.Second

// reaches reports whether the web UI with this host name answers at an address of this
// machine. A server of another memory has another name, and refuses this one.
func reaches(ctx context.Context, address, host string) bool {
	ctx, stop := context.WithTimeout(ctx, reachTime)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/robots.txt", nil)
	if err != nil {
		return false
	}
	r.Host = host
	client := &http.Client{Transport: &http.Transport{Proxy: nil}}
	answer, err := client.Do(r)
	if err != nil {
		return false
	}
	return answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
}
