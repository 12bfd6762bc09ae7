package embedding

import ()
