#!/usr/bin/env bash
# What action.yml runs in a repository: plan $PORTFOLIO at the commit $BASE and as it is here, and write their difference
# to $COMMENT as Markdown. $FLOPSHEET is the command. With $GITHUB_OUTPUT, moved=true or moved=false is added to it.
set -euo pipefail

most=60000  # characters; GitHub takes 65,536 of a comment
work=$(mktemp -d)
trap 'git worktree remove --force "$work/base" > /dev/null 2>&1 || true; rm -rf "$work"' EXIT
git worktree add --quiet --detach "$work/base" "$BASE"

# Status 1 is a model in error, which its report says too; above that there is no report.
plan() { (cd "$1" && "$FLOPSHEET" report "$PORTFOLIO" -o "$2" > "$work/said" 2>&1) || [ $? -eq 1 ]; }
fail() { cat "$work/said" >&2; echo "flopsheet: $PORTFOLIO cannot be planned $1" >&2; exit 1; }

plan . "$work/new.toml" || fail "as it is here"
moved=true
if [ ! -e "$work/base/$PORTFOLIO" ]; then
  text="\`$PORTFOLIO\` is new: there is nothing to compare it with."
elif plan "$work/base" "$work/old.toml"; then
  status=0
  text=$("$FLOPSHEET" diff "$work/old.toml" "$work/new.toml" --format md) || status=$?
  [ "$status" -le 1 ] || exit "$status"
  [ "$status" -eq 1 ] || moved=false
else
  text="\`$PORTFOLIO\` could not be planned at the base: there is nothing to compare it with."
fi

[ "${#text}" -le "$most" ] || text="${text:0:most}"$'\n\n… cut; `flopsheet diff` shows the rest.'
printf '<!-- flopsheet -->\n## flopsheet: `%s`\n\n%s\n' "$PORTFOLIO" "$text" > "$COMMENT"
[ -z "${GITHUB_OUTPUT:-}" ] || echo "moved=$moved" >> "$GITHUB_OUTPUT"
