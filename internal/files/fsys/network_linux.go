package fsys

import (
	"errors"

	"golang.org/x/sys/unix"
)

// networks lists the file systems (linux/magic.h) that other machines may change or lock at
// the same time. FUSE is included: it is usually a network file system (sshfs, s3fs), and
// its locks are unreliable otherwise.
var networks = map[int64]string{
	unix.NFS_SUPER_MAGIC:  "NFS",
	unix.SMB_SUPER_MAGIC:  "SMB",
	unix.SMB2_SUPER_MAGIC: "SMB",
	unix.CIFS_SUPER_MAGIC: "CIFS",
	unix.FUSE_SUPER_MAGIC: "FUSE",
	unix.V9FS_MAGIC:       "9P",
	unix.AFS_SUPER_MAGIC:  "AFS",
	unix.CODA_SUPER_MAGIC: "Coda",
	unix.NCP_SUPER_MAGIC:  "NCP",
	unix.CEPH_SUPER_MAGIC: "Ceph",
	0x0bd00bd0:            "Lustre",
	0x47504653:            "GPFS",
}

// statfs is replaced by tests, which cannot mount a network.
var statfs = unix.Statfs

// Network returns the type of the network file system of path, "" for a local
// or unknown one.
func Network(path string) (string, error) {
	var st unix.Statfs_t
	for {
		err := statfs(path, &st)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return "", err
		}
		// The field is signed on some processors, and magics fill 32 bits.
		return networks[int64(uint32(st.Type))], nil
	}
}
