package space

import (
	"fmt"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// CheckDisk reports a directory on a network disk.
func (r *Registry) CheckDisk(name, dir string) api.Check {
	c := api.Check{Name: name, State: "ok", Reason: "local"}
	network := r.Network
	if network == nil {
		network = fsys.Network
	}
	switch kind, err := network(dir); {
	case err != nil:
		c.State, c.Reason = "warning", "unknown kind of disk: "+kb.AsError(fsys.Explain(err, "look at %s", dir)).Message
		c.Remedy = "see that it is a local disk"
	case kind != "":
		c.State, c.Reason = "warning", fmt.Sprintf("%s is on a network file system (%s), where locks and flushing may not work", dir, kind)
		c.Remedy = "keep the memory on a local disk (--db), and let only one machine write to this directory"
	}
	return c
}
