import type { Patch } from "../patch.ts";

/** The kernel's simulated chip. */
export const SIMULATOR = "gpio-sim.c";

const CHARGE = `
static unsigned int rc_us;
module_param(rc_us, uint, 0644);

struct gpio_sim_charge {
	struct hrtimer timer;
	struct work_struct work;
	struct gpio_sim_chip *chip;
	unsigned int offset;
	int value;
};

static void gpio_sim_charged(struct work_struct *work)
{
	struct gpio_sim_charge *charge = container_of(work, struct gpio_sim_charge, work);

	gpio_sim_apply_pull(charge->chip, charge->offset, charge->value);
	kfree(charge);
}

static enum hrtimer_restart gpio_sim_charge_timer(struct hrtimer *timer)
{
	schedule_work(&container_of(timer, struct gpio_sim_charge, timer)->work);
	return HRTIMER_NORESTART;
}

/* A bias moves an undriven line as slowly as its capacitance lets it. */
static int gpio_sim_bias(struct gpio_sim_chip *chip, unsigned int offset, int value)
{
	struct gpio_sim_charge *charge;

	if (!rc_us)
		return gpio_sim_apply_pull(chip, offset, value);
	if (value == !!test_bit(offset, chip->value_map))
		return 0;
	charge = kzalloc(sizeof(*charge), GFP_KERNEL);
	if (!charge)
		return -ENOMEM;
	charge->chip = chip;
	charge->offset = offset;
	charge->value = value;
	INIT_WORK(&charge->work, gpio_sim_charged);
	hrtimer_init(&charge->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	charge->timer.function = gpio_sim_charge_timer;
	hrtimer_start(&charge->timer, ns_to_ktime(rc_us * (u64)NSEC_PER_USEC), HRTIMER_MODE_REL);
	return 0;
}

`;

const SET_CONFIG = "static int gpio_sim_set_config(";

/**
 * What real lines do and the simulated ones do not. The module's parameter `rc_us` is how long a bias takes to move a line.
 * `swallow-up` and `swallow-down` in a line's `pull` change its level without an interrupt, as an edge detector that loses one.
 */
export const SIMULATOR_PATCHES: readonly Patch[] = [
  {
    file: SIMULATOR,
    from: "#include <linux/idr.h>\n",
    to: "#include <linux/hrtimer.h>\n#include <linux/idr.h>\n",
  },
  { file: SIMULATOR, from: SET_CONFIG, to: `${CHARGE}${SET_CONFIG}` },
  {
    file: SIMULATOR,
    from: "return gpio_sim_apply_pull(chip, offset, 1);",
    to: "return gpio_sim_bias(chip, offset, 1);",
  },
  {
    file: SIMULATOR,
    from: "return gpio_sim_apply_pull(chip, offset, 0);",
    to: "return gpio_sim_bias(chip, offset, 0);",
  },
  {
    file: SIMULATOR,
    from: '[1]	= "pull-up",\n',
    to: '[1]	= "pull-up",\n	[2]	= "swallow-down",\n	[3]	= "swallow-up",\n',
  },
  {
    file: SIMULATOR,
    from: "	ret = gpio_sim_apply_pull(chip, line_attr->offset, pull);\n",
    to: `	if (pull > 1) {
		mutex_lock(&chip->lock);
		__assign_bit(line_attr->offset, chip->value_map, pull & 1);
		__assign_bit(line_attr->offset, chip->pull_map, pull & 1);
		mutex_unlock(&chip->lock);
		return len;
	}
	ret = gpio_sim_apply_pull(chip, line_attr->offset, pull);
`,
  },
];
