import { stringify } from "smol-toml";
import { defaultConfig } from "../../src/config/parse.ts";
import { CONFIG_KEYS, configSchema } from "../../src/config/schema.ts";

const HEAD = `# flanco's settings. Each is shown with the value that it has when this file does not say otherwise: to change one, take
# the # away before its name. What flanco makes of it: flanco config check. Then: systemctl restart flanco.
# The environment (FLANCO_HTTPS_PORT) and the command line (--https-port) win over this file.
`;
/** What the machine says, and not this file's maker. */
const OF_THE_MACHINE: Readonly<Record<string, string>> = { time_zone: "Europe/Madrid" };
const OWN_ZONE = "Without it: the system's.";

/** /etc/flanco/flanco.toml as it is installed: every setting with what it means, nothing set. */
export function settingsFile(): string {
  const defaults = defaultConfig(null);
  const entries = CONFIG_KEYS.map((key) => {
    const example = OF_THE_MACHINE[key];
    const value = stringify({ [key]: example ?? defaults[key] }).trim();
    const lines = [configSchema.shape[key].description, ...(example === undefined ? [] : [OWN_ZONE])];
    return `${lines.map((line) => `# ${line}`).join("\n")}\n#${value}\n`;
  });
  return `${HEAD}\n${entries.join("\n")}`;
}
