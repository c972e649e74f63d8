#!/bin/busybox sh
# The guest's first process. It makes the machine look like a gateway with eight relays, runs the one command
# that it was started for, tells the host its exit code and switches off. Its own words go to the console.

/bin/busybox mkdir -p /proc /sys /dev /tmp /run /root /var/lib /usr/bin
/bin/busybox --install -s /bin
export PATH=/usr/bin:/bin HOME=/root LANG=C.UTF-8 TZ=UTC
ln -s /bin/env /usr/bin/env

mount -t devtmpfs devtmpfs /dev
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mkdir -p /dev/shm
mount -t tmpfs tmpfs /dev/shm
exec </dev/null >/dev/console 2>&1
ip link set lo up
hostname guest

fail() {
  echo "guest: $*"
  poweroff -f
  exit 1
}

load() {
  while read -r module; do
    insmod "/lib/guest/$module" || fail "cannot load $module"
  done <"/lib/guest/$1"
}
load modules

# A run with a disk says where to mount it. Barriers are ext4's default; they are named because the power cut tests rely on them.
if [ -e /lib/guest/mount-point ]; then
  load disk-modules
  read -r mount_point </lib/guest/mount-point
  mkdir -p "$mount_point"
  # Nothing is written unless it is asked for, so that what was not synced is lost in a cut however slow the machine is.
  echo 0 >/proc/sys/vm/dirty_writeback_centisecs
  mount -t ext4 -o barrier=1,commit=3600 /dev/vda "$mount_point" || fail "no disk"
fi

. /lib/guest/gateway.sh

# The host ends a run that takes too long; should the host's program be gone, the guest ends by itself.
. /lib/guest/limit
(
  sleep "$limit_seconds"
  poweroff -f
) &
watchdog=$!

# Through pipes, because a write to a port takes 32 KiB at most and programs seldom look.
mkfifo /run/stdout /run/stderr
cat </run/stdout >"$out" &
cats=$!
cat </run/stderr >"$err" &
cats="$cats $!"

cd /opt/guest/scripts || fail "no scripts"
echo "guest: up after $(cut -d ' ' -f 1 /proc/uptime) s"
sh /lib/guest/command >/run/stdout 2>/run/stderr
code=$?

# What the command left behind holds the pipes open.
kill -9 "$watchdog"
for entry in /proc/[0-9]*; do
  pid=${entry#/proc/}
  case " 1 $cats " in *" $pid "*) continue ;; esac
  [ -n "$(cat "$entry/cmdline" 2>/dev/null)" ] && kill -9 "$pid" 2>/dev/null
done
wait $cats
[ -z "$mount_point" ] || umount "$mount_point" || sync
echo "exit $code" >"$status"
echo "guest: exit $code"
poweroff -f
