#!/bin/sh
# Make .venv unless it is there, and install pbow into it, editable, with some extras:
#
#     scripts/setup-venv.sh EXTRAS [more arguments for pip install]
#
# The Makefile calls this. PYTHON=... chooses the interpreter of a new .venv.
set -eu
cd "$(dirname "$0")/.."
extras=$1
shift

unfinished=.cache/setup.unfinished
log=.cache/setup.log

fail() {
    echo "pbow: $*" >&2
    exit 1
}

is_recent() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        is_recent "$PYTHON" || fail "PYTHON=$PYTHON does not run Python 3.11 or later."
        echo "$PYTHON"
        return
    fi
    for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
        if is_recent "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    fail "no Python 3.11 or later was found; install one, or name it: make PYTHON=..."
}

has_pip() {
    .venv/bin/python -m pip --version
}

# Debian's python3 can lack ensurepip (then venv fails and leaves a half-made folder)
# and pip, so every way is tried on a clean slate, the one that changes the system last.
make_venv() {
    : >"$log"
    attempt "$python" -m venv .venv ||
        attempt virtualenv --python "$python" .venv ||
        attempt borrow_virtualenv ||
        attempt install_venv_package ||
        fail "$python can make no virtual environment: install the package" \
            "$(venv_package) as root and run make again ($log says what was tried)."
}

attempt() {
    rm -rf .venv
    echo "\$ $*" >>"$log"
    { "$@" && has_pip; } >>"$log" 2>&1
}

borrow_virtualenv() {
    "$python" -m pip install --target .cache/virtualenv virtualenv &&
        PYTHONPATH=.cache/virtualenv "$python" -m virtualenv .venv
}

venv_package() {
    "$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'
}

install_venv_package() {
    as_root=
    [ "$(id -u)" -eq 0 ] || as_root="sudo -n"
    # A fresh image has no package lists; an update that fails may still leave good ones.
    $as_root apt-get update || true
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install --yes --no-install-recommends "$(venv_package)" &&
        "$python" -m venv .venv
}

mkdir -p .cache
# Two makes at once would write into one .venv. The lock goes with the last process that
# has it open, so a pip that outlives a killed make is waited for too.
exec 9>.cache/setup.lock
if command -v flock >/dev/null; then flock 9; fi

# A killed pip can leave packages that look installed and are not: whatever did not
# reach its end starts again from nothing.
if [ -e "$unfinished" ] || ! has_pip >/dev/null 2>&1; then
    python=$(find_python)
    : >"$unfinished"
    echo "pbow: making .venv with $("$python" --version)" >&2
    make_venv
fi
: >"$unfinished"
echo "pbow: installing pbow[$extras] into .venv (the first time takes a minute or two)" >&2
.venv/bin/python -m pip install --quiet --disable-pip-version-check \
    --constraint constraints.txt --editable ".[$extras]" "$@"
rm "$unfinished"
