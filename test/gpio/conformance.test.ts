import { describeConformance } from "./conformance.ts";
import { createSimulatedRig, KernelChip } from "./rigs.ts";

describeConformance("simulated", createSimulatedRig);

const chip = KernelChip.fromEnvironment();
if (chip !== null) {
  describeConformance("chardev", () => chip.createRig("chardev"));
  describeConformance("sysfs", () => chip.createRig("sysfs"));
}
