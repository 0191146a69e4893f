#!/bin/sh
# promtool and Alertmanager for the tests of the alerts: found, installed where this user may install packages, or one sentence that says how.
command -v promtool >/dev/null 2>&1 && command -v prometheus-alertmanager >/dev/null 2>&1 && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  apt-get update -qq && apt-get install -y -qq --no-install-recommends prometheus prometheus-alertmanager >/dev/null && exit 0
fi
echo "The test of the alerts needs promtool and Alertmanager: install them (Debian: apt-get install prometheus prometheus-alertmanager)." >&2
exit 1
