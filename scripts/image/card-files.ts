import { join } from "node:path";

/** Files of the card's own, as they lie on it. */
export const CARD_FILES = join(import.meta.dirname, "..", "..", "packaging", "card");
