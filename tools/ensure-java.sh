#!/bin/sh
# Java 17 or later: found, installed where this user may install packages, or one sentence that says how.
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
version=$("$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p')
[ "${version:-0}" -ge 17 ] && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  apt-get update -qq && apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless >/dev/null && exit 0
fi
echo "kipwatch needs Java 17 or later: install it (Debian: apt-get install openjdk-17-jre-headless) or set JAVA_HOME." >&2
exit 1
