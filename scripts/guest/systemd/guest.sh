#!/bin/sh
# Makes a machine with systemd look like a gateway with eight relays on which flanco is installed, and runs
# the one command that it was started for.

export PATH=/usr/local/bin:/usr/bin:/usr/sbin HOME=/root LANG=C.UTF-8 TZ=UTC
fail() {
  echo "guest: $*"
  exit 1
}

while read -r module; do
  insmod "/opt/guest/modules/$module" || fail "cannot load $module"
done </opt/guest/modules/list

. /opt/guest/gateway.sh

# As a package does it: a user, its group, a command.
printf 'g gpio -\nu flanco - flanco /var/lib/flanco\nm flanco gpio\n' >/usr/lib/sysusers.d/flanco.conf
systemd-sysusers || fail "no user"
chgrp gpio "/dev/$FLANCO_TEST_GPIO_CHIP" && chmod 660 "/dev/$FLANCO_TEST_GPIO_CHIP" || fail "no chip"
printf '#!/bin/sh\nexec /usr/local/bin/node /usr/lib/flanco/flanco.mjs "$@"\n' >/usr/bin/flanco
chmod 755 /usr/bin/flanco
# What Node keeps of compiled sources is each user's own, by the number at its end; the package's was made by root.
for kept in /usr/lib/flanco/.cache/*-0; do
  ln -s "${kept##*/}" "${kept%-0}-$(id -u flanco)"
done

# The host ends a run that takes too long; should the host's program be gone, the guest ends by itself.
. /opt/guest/limit
(
  sleep "$limit_seconds"
  systemctl poweroff --force --force
) &

# Through pipes, because a write to a port takes 32 KiB at most and programs seldom look.
mkfifo /run/guest-stdout /run/guest-stderr
cat </run/guest-stdout >"$out" &
cats=$!
cat </run/guest-stderr >"$err" &
cats="$cats $!"

cd /opt/guest/scripts || fail "no scripts"
echo "guest: up after $(cut -d ' ' -f 1 /proc/uptime) s"
sh /opt/guest/command >/run/guest-stdout 2>/run/guest-stderr
code=$?
wait $cats
echo "exit $code" >"$status"
echo "guest: exit $code"
systemctl poweroff --force --force
