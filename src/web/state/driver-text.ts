interface DriverTexts {
  readonly chardev: string;
  readonly sysfs: string;
  readonly simulated: string;
  readonly none: string;
}

/** A driver in plain words; its own name for one that the page does not know. */
export function driverText(driver: string, texts: DriverTexts): string {
  const isKnown = driver === "chardev" || driver === "sysfs" || driver === "simulated" || driver === "none";
  return isKnown ? texts[driver] : driver;
}
