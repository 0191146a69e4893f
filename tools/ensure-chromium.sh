#!/bin/sh
# Chromium for the browser tests: its shell without a window, found, or installed where this user may install packages;
# else a whole one, or one sentence that says how.
command -v chromium-headless-shell >/dev/null 2>&1 && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium-headless-shell >/dev/null && exit 0
fi
command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 && exit 0
echo "The browser tests need Chromium: install it (Debian: apt-get install chromium-headless-shell)." >&2
exit 1
