package remote

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Download returns the file at an address, of at most limit bytes; redirects are followed.
// progress, if not nil, receives the number of bytes read and the total, 0 if the server
// does not report it. An invalid address is kb.Usage, a missing file kb.NotFound, and an
// unreachable server kb.Internal.
func Download(ctx context.Context, client *http.Client, address string, limit int64, progress func(done, total int64)) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		// The address may have a password.
		return nil, kb.Errorf(kb.Usage, "invalid address of a file").WithHint("give a path, or an address that begins with https://")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, failed(ctx, u, err)
	}
	defer func() { _ = response.Body.Close() }() // everything needed was read
	if response.StatusCode != http.StatusOK {
		return nil, kb.Errorf(kb.NotFound, "%s answered %s", u.Redacted(), response.Status).WithHint("check the address")
	}
	body := &counted{Reader: io.LimitReader(response.Body, limit+1), total: max(0, response.ContentLength), progress: progress}
	data, err := io.ReadAll(body)
	switch {
	case err != nil:
		return nil, failed(ctx, u, err)
	case int64(len(data)) > limit:
		return nil, kb.Errorf(kb.Invalid, "%s has more than %d bytes", u.Redacted(), limit).WithHint("check the address")
	}
	return data, nil
}

// failed returns the error for an interrupted download.
func failed(ctx context.Context, u *url.URL, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var short *url.Error // its text contains the address with its password
	if errors.As(err, &short) {
		err = short.Err
	}
	return kb.Errorf(kb.Internal, "cannot download %s: %w", u.Redacted(), err).WithHint("run it again; nothing was changed")
}

// counted reports the number of bytes read.
type counted struct {
	io.Reader
	done, total int64
	progress    func(done, total int64)
}

// Read implements io.Reader.
func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.done += int64(n)
	if c.progress != nil {
		c.progress(c.done, c.total)
	}
	return n, err
}
