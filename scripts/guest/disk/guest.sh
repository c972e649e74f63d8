#!/bin/sh
# Runs the one command that a machine with a disk was started for.

export PATH=/usr/local/bin:/usr/bin:/usr/sbin HOME=/root LANG=C.UTF-8 TZ=UTC
. /run/guest/gateway
. /run/guest/limit
# The host ends a run that takes too long; should the host's program be gone, the guest ends by itself.
(
  sleep "$limit_seconds"
  systemctl poweroff --force --force
) &

# Through pipes, because a write to a port takes 32 KiB at most and programs seldom look.
mkfifo /run/guest/stdout /run/guest/stderr
cat </run/guest/stdout >"$out" &
cats=$!
cat </run/guest/stderr >"$err" &
cats="$cats $!"

cd /opt/guest/scripts || exit 1
echo "guest: up after $(cut -d ' ' -f 1 /proc/uptime) s"
sh /run/guest/command >/run/guest/stdout 2>/run/guest/stderr
code=$?
wait $cats
echo "exit $code" >"$status"
echo "guest: exit $code"
