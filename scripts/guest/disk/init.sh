#!/bin/busybox sh
# First process of a guest whose system lies on a disk: loads modules, makes the relays, and hands over to the disk's systemd.

/bin/busybox mkdir -p /proc /sys /dev /bin /system
/bin/busybox --install -s /bin
export PATH=/bin
mount -t devtmpfs devtmpfs /dev
mount -t proc proc /proc
mount -t sysfs sysfs /sys
exec </dev/null >/dev/console 2>&1

fail() {
  echo "guest: $*"
  poweroff -f
  exit 1
}

while read -r module; do
  insmod "/modules/$module" || fail "cannot load $module"
done </modules/list

# What a gateway has when it starts, it has here before systemd does.
. /gateway.sh

mount -t ext4 -o barrier=1 /dev/vda /system || fail "no disk"
mount -t ext4 -o ro /dev/vdb /system/opt/guest || fail "no second disk"
mount -t tmpfs -o mode=0755 tmpfs /system/run
mkdir /system/run/guest
cp /run-once/* /system/run/guest/
cat >/system/run/guest/gateway <<END
out=$out
err=$err
status=$status
export FLANCO_TEST_GPIO_CHIP=$FLANCO_TEST_GPIO_CHIP FLANCO_TEST_GPIO_SIM=$FLANCO_TEST_GPIO_SIM
END
for part in dev proc sys; do mount --move /$part /system/$part; done
exec switch_root /system /usr/lib/systemd/systemd
