#!/bin/sh
# Install Debian's chromium and chromium-driver, in which the tests of the explorer run.
# Does nothing where they are installed. Where they cannot be installed it says so and
# succeeds all the same: those tests are then skipped, with the reason.
set -eu

is_installed() {
    command -v chromium >/dev/null && command -v chromedriver >/dev/null
}

install() {
    as_root=
    [ "$(id -u)" -eq 0 ] || as_root="sudo -n"
    # A fresh image has no package lists; an update that fails may still leave good ones.
    $as_root apt-get update || true
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install --yes --no-install-recommends chromium chromium-driver
}

is_installed && exit 0
log=$(mktemp)
if command -v apt-get >/dev/null; then
    echo "pbow: installing chromium, for the tests of the explorer" >&2
    install >"$log" 2>&1 || tail -n 3 "$log" >&2
fi
rm -f "$log"
is_installed ||
    echo "pbow: no chromium and chromedriver; the explorer is not tested in a browser" >&2
