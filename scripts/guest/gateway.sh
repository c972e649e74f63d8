# Sourced by both guests' first scripts, once the modules are loaded and with a `fail` of theirs: the ways to the host, and
# eight relays on the kernel's simulated chip. Sets out, err, status, FLANCO_TEST_GPIO_CHIP and FLANCO_TEST_GPIO_SIM.

# A port appears a moment after its device, and only its name says what it is for.
port() {
  tries=0
  while [ $tries -lt 100 ]; do
    for entry in /sys/class/virtio-ports/*; do
      if [ -e "$entry/name" ] && [ "$(cat "$entry/name")" = "$1" ]; then
        node="/dev/${entry##*/}"
        if [ -c "$node" ]; then
          echo "$node"
          return
        fi
      fi
    done
    tries=$((tries + 1))
    sleep 0.05
  done
}
out=$(port stdout)
err=$(port stderr)
status=$(port status)
[ -c "$out" ] && [ -c "$err" ] && [ -c "$status" ] || fail "no way to the host"

mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config || fail "no configfs"
device=/sys/kernel/config/gpio-sim/relays
mkdir -p $device/bank0
echo 8 >$device/bank0/num_lines
echo flanco-relays >$device/bank0/label
for line in 0 1 2 3 4 5 6 7; do
  mkdir $device/bank0/line$line
  echo RELAY$line >$device/bank0/line$line/name
done
echo 1 >$device/live || fail "the simulated chip does not start"
FLANCO_TEST_GPIO_CHIP=$(cat $device/bank0/chip_name)
FLANCO_TEST_GPIO_SIM=/sys/devices/platform/$(cat $device/dev_name)/$FLANCO_TEST_GPIO_CHIP
[ -e "$FLANCO_TEST_GPIO_SIM/sim_gpio7/pull" ] || fail "the simulated chip has no lines"
export FLANCO_TEST_GPIO_CHIP FLANCO_TEST_GPIO_SIM
