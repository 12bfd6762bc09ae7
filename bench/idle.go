package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"time"
)

// resident is what of a process is in memory, in bytes. Pages of files, such as
// the program with its weights, are shared with others and can be dropped at
// any time.
type resident struct{ whole, own, files int64 }

func (r resident) String() string {
	mib := func(n int64) float64 { return float64(n) / (1 << 20) }
	return fmt.Sprintf("%.0f MiB resident, %.0f of its own and %.0f of files", mib(r.whole), mib(r.own), mib(r.files))
}

// resting measures a session in which the model was needed: right after that,
// and when nobody has asked for long. After 10 to 20 s cairn gives back what it
// only needs for the next question. Where the system has no /proc the answer is
// nothing.
func resting(ctx context.Context, c *setup, db string) (asked, idle resident, err error) {
	s, err := connectStreams(ctx, c, db)
	if err != nil {
		return asked, idle, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	for _, q := range []string{"how are exceptions caught", "thread local storage"} {
		if err := call(s, "recall", map[string]any{"query": q, "space": "vault"}); err != nil {
			return asked, idle, err
		}
	}
	if asked, err = residentOf(s.cmd.Process.Pid); err != nil || asked.whole == 0 {
		return asked, idle, err
	}
	select {
	case <-ctx.Done():
		return asked, idle, ctx.Err()
	case <-time.After(c.idle):
	}
	idle, err = residentOf(s.cmd.Process.Pid)
	return asked, idle, err
}

var residentLine = regexp.MustCompile(`(?m)^(VmRSS|RssAnon|RssFile):\s*(\d+) kB$`)

func residentOf(pid int) (resident, error) {
	var out resident
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	for _, m := range residentLine.FindAllSubmatch(text, -1) {
		n, err := strconv.ParseInt(string(m[2]), 10, 64)
		if err != nil {
			return out, err
		}
		*map[string]*int64{"VmRSS": &out.whole, "RssAnon": &out.own, "RssFile": &out.files}[string(m[1])] = n << 10
	}
	return out, nil
}
