package remote

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Download returns the file at an address, of at most limit bytes; redirects are
// followed. Progress receives how many bytes came, of how many, 0 where the server does
// not say; it may be nil. An address that is none gives kb.Usage, a server that does not
// have the file kb.NotFound, and one that cannot be reached kb.Internal.
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
	defer func() { _ = response.Body.Close() }() // everything that is wanted was read
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

// failed is the error for a download that broke off.
func failed(ctx context.Context, u *url.URL, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var short *url.Error // whose text has the address with its password
	if errors.As(err, &short) {
		err = short.Err
	}
	return kb.Errorf(kb.Internal, "cannot download %s: %w", u.Redacted(), err).WithHint("run it again; nothing was changed")
}

// counted reports how much was read.
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
