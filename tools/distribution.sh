#!/usr/bin/env bash
# Build the sdist and the wheel into dist/, check both, and use each from a fresh environment: pip, uv and pipx, where they
# are installed. The argument is the Python that has `build`. Needs the network for flopsheet's dependencies.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-python3}
[[ $python != */* ]] || python=$(cd "$(dirname "$python")" && pwd)/$(basename "$python")  # pipx runs elsewhere
config=examples/configs/gpt2-xl/config.json
expected=1,557,611,200
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf '%s\n' "distribution: $*"; }
counts() { "$@" show "$config" | grep -q "$expected" || { say "wrong: $*"; exit 1; }; }

rm -rf dist
"$python" -m build --outdir dist . > "$work/build.txt" 2>&1 || { cat "$work/build.txt"; exit 1; }
"$python" -m build --outdir "$work/again" . > "$work/build.txt" 2>&1 || { cat "$work/build.txt"; exit 1; }
for file in dist/*; do cmp "$file" "$work/again/$(basename "$file")"; done
say "two builds are equal byte by byte: $(cd dist && echo *)"

"$python" -m twine check --strict dist/*

for file in dist/*; do
  "$python" -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check "$file"
  counts "$work/venv/bin/flopsheet"
  rm -rf "$work/venv"
  say "pip install $file: ok"
done

wheel=$(echo dist/*.whl)
if command -v uv > /dev/null; then
  counts uvx --quiet --python "$python" --from "./$wheel" flopsheet
  say "uvx --from ./$wheel flopsheet: ok"
else
  say "no uv: uvx was not tried"
fi
if command -v pipx > /dev/null; then
  PIPX_HOME="$work/pipx" PIPX_BIN_DIR="$work/bin" pipx install --quiet --python "$python" "./$wheel"
  counts "$work/bin/flopsheet"
  say "pipx install ./$wheel: ok"
else
  say "no pipx: pipx was not tried"
fi
