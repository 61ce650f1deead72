#!/bin/sh
# Install Debian's chromium and chromium-driver, in which `make test-browser` runs the
# explorer. Does nothing where they are installed; fails where they cannot be.
set -eu

is_installed() {
    command -v chromium >/dev/null && command -v chromedriver >/dev/null
}

is_installed && exit 0
if command -v apt-get >/dev/null; then
    echo "pbow: installing chromium, for the tests of the explorer" >&2
    as_root=
    [ "$(id -u)" -eq 0 ] || as_root="sudo -n"
    # A fresh image has no package lists; an update that fails may still leave good ones.
    $as_root apt-get -qq update || true
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq install --yes --no-install-recommends chromium chromium-driver >&2 || true
fi
is_installed || {
    echo "pbow: chromium and chromedriver are not on the PATH; install them and try again" >&2
    exit 1
}
