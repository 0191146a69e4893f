#!/bin/sh
# Chromium for the browser tests: found, installed where this user may install packages, or one sentence that says how.
command -v chromium >/dev/null 2>&1 && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null && exit 0
fi
echo "The browser tests need Chromium: install it (Debian: apt-get install chromium)." >&2
exit 1
