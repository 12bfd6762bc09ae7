package fsys

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

func TestNetwork(t *testing.T) {
	// Serial: it replaces statfs.
	defer func(f func(string, *unix.Statfs_t) error) { statfs = f }(statfs)
	if kind, err := Network(t.TempDir()); kind != "" || err != nil {
		t.Errorf("a temporary directory lies on %q, %v", kind, err)
	}
	for magic, want := range map[uint32]string{
		unix.NFS_SUPER_MAGIC: "NFS", 0xff534d42: "CIFS", 0xfe534d42: "SMB", unix.FUSE_SUPER_MAGIC: "FUSE",
		unix.EXT4_SUPER_MAGIC: "", unix.TMPFS_MAGIC: "", unix.BTRFS_SUPER_MAGIC: "",
	} {
		interrupted := false
		statfs = func(_ string, st *unix.Statfs_t) error {
			if !interrupted {
				interrupted = true
				return unix.EINTR
			}
			// Sign-extended, as some processors have it.
			st.Type = int64(int32(magic))
			return nil
		}
		if kind, err := Network("/x"); kind != want || err != nil {
			t.Errorf("%#x is %q, %v, want %q", magic, kind, err, want)
		}
	}
	statfs = func(string, *unix.Statfs_t) error { return unix.EACCES }
	if _, err := Network("/x"); !errors.Is(err, unix.EACCES) {
		t.Errorf("error %v", err)
	}
}
