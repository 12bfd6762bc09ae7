package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"time"

	"github.com/cairn-kb/cairn/internal/surface/login"
)

// reachTime is how long a server on this machine may take to answer.
const reachTime = 2 * time.Second

// fetchTime and fetchMost bound the answer of an address.
const (
	fetchTime = 10 * time.Second
	fetchMost = 1 << 16
)

// fetch returns what an address answers. A redirect is an error: the person configured this
// address and no other.
func fetch(ctx context.Context, address string) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, fetchTime)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	client := &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, fetchMost))
	if err = cmp.Or(err, answer.Body.Close()); err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, errors.New("it answers " + answer.Status)
	}
	return text, nil
}

// reaches reports whether a server that has the token answers at an address of this
// machine. Another program may listen there since the server ended, so the server proves
// it by its answer to a challenge, and is told nothing.
func reaches(ctx context.Context, address, token string) bool {
	ctx, stop := context.WithTimeout(ctx, reachTime)
	defer stop()
	var at string
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(c httptrace.GotConnInfo) { at = c.Conn.RemoteAddr().String() },
	})
	challenge := rand.Text()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/web/proof?"+url.Values{"challenge": {challenge}}.Encode(), nil)
	if err != nil {
		return false
	}
	client := &http.Client{
		Transport:     &http.Transport{Proxy: nil, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := client.Do(r)
	if err != nil {
		return false
	}
	proof, err := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
	return answer.Body.Close() == nil && err == nil && answer.StatusCode == http.StatusOK && login.Proves(token, at, challenge, string(proof))
}
