# Sourced by the scripts beside it: goes to the clone's root, installs what the build needs, and
# chooses where compiled files go.
#
#   SYNERGY_TARGET   directory of compiled files (default: ${XDG_CACHE_HOME:-$HOME/.cache}/synergy-target).
#                    It lies outside the clone, so that a second clone does not compile HiGHS and polars again.
#                    CARGO_TARGET_DIR, when set, takes precedence.

cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '%s\n' "$*" >&2; }

# libclang is a shared library that bindgen loads; no command stands for it.
has_libclang() {
  [ -n "${LIBCLANG_PATH:-}" ] && return 0
  # Not libclang-cpp, which comes with other packages and is not enough.
  ldconfig -p 2>/dev/null | grep -qE 'libclang(-[0-9.]+)?\.so' && return 0
  compgen -G '/usr/lib/llvm-*/lib/libclang.so*' >/dev/null || compgen -G '/usr/lib/llvm-*/lib/libclang-[0-9]*.so*' >/dev/null
}

install_prerequisites() {
  local missing=()
  command -v cmake >/dev/null || missing+=(cmake)
  command -v make >/dev/null || missing+=(make)
  command -v c++ >/dev/null || missing+=(g++)
  has_libclang || missing+=(libclang-dev)
  if [ ${#missing[@]} -gt 0 ]; then
    local root=()
    if [ "$(id -u)" -ne 0 ]; then
      root=(sudo -n)
    fi
    if ! command -v apt-get >/dev/null || ! "${root[@]}" true 2>/dev/null; then
      say "missing: ${missing[*]}. As root on Debian or Ubuntu: apt-get install ${missing[*]}"
      say "elsewhere: cmake, a C++ compiler and libclang by your package manager (or set LIBCLANG_PATH); then run this again."
      exit 1
    fi
    say "installing ${missing[*]}"
    "${root[@]}" apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive "${root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
  fi
  if ! command -v cargo >/dev/null; then
    # rustup's own place, which a login shell has on its path and a script may not.
    [ -x "$HOME/.cargo/bin/cargo" ] && PATH="$HOME/.cargo/bin:$PATH"
  fi
  if ! command -v cargo >/dev/null; then
    say "cargo is missing: install Rust from https://rustup.rs and run this again."
    exit 1
  fi
}

install_prerequisites
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-${SYNERGY_TARGET:-${XDG_CACHE_HOME:-$HOME/.cache}/synergy-target}}"
