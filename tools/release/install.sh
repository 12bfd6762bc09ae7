#!/bin/sh
# Installs cairn from the directory of a release: sh install.sh [full|slim]
# PREFIX says where to, ~/.local by default.
set -eu
channel=${1:-full}
from=$(cd "$(dirname "$0")" && pwd)
case $(uname -s) in
Linux) system=linux ;;
Darwin) system=darwin ;;
*) echo "error: there is no cairn for $(uname -s) that this script installs" >&2; exit 1 ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) echo "error: there is no cairn for $(uname -m)" >&2; exit 1 ;;
esac
name=cairn-$system-$arch-$channel
if [ ! -f "$from/$name" ] || [ ! -f "$from/$name.sha256" ]; then
	echo "error: $from has no $name with its .sha256" >&2
	exit 1
fi
if command -v sha256sum >/dev/null; then sum=sha256sum; else sum="shasum -a 256"; fi
if ! (cd "$from" && $sum -c "$name.sha256" >/dev/null 2>&1); then
	echo "error: $name is not what its .sha256 says: nothing was installed" >&2
	exit 1
fi
to=${PREFIX:-$HOME/.local}/bin
mkdir -p "$to"
cp "$from/$name" "$to/.cairn.new"
chmod 755 "$to/.cairn.new"
mv "$to/.cairn.new" "$to/cairn"
"$to/cairn" version
case ":$PATH:" in
*":$to:"*) ;;
*) echo "installed in $to, which is not in PATH" ;;
esac
