package cli

import "flag"

// updating reports whether -update was given; the flag is that of the scripts.
func updating() bool { return flag.Lookup("update").Value.String() == "true" }
