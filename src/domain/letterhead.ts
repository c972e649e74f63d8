/** What stands at the head of an account's reports. Empty texts where nothing is set. */
export interface Letterhead {
  readonly company: string;
  readonly taxNumber: string;
  readonly address: string;
  /** A PNG or JPEG image of at most 40 KiB as a `data:` URL. */
  readonly logo: string;
}

/** In Base64 it fits into a request of usual size. */
export const MAX_LOGO_BYTES = 40 * 1024;

const DATA_URL =
  /^data:image\/(png|jpeg);base64,((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
/** What the files begin with. */
const BEGINNINGS: Readonly<Record<string, string>> = { png: "\x89PNG\r\n\x1a\n", jpeg: "\xff\xd8\xff" };

/** Whether a logo is of the type that it says, and small enough: browsers show it, so that it must be no other thing. */
export function isLogo(logo: string): boolean {
  if (logo === "") return true;
  const [, type = "", base64 = ""] = DATA_URL.exec(logo) ?? [];
  const beginning = BEGINNINGS[type];
  if (beginning === undefined) return false;
  const bytes = atob(base64);
  return bytes.length <= MAX_LOGO_BYTES && bytes.startsWith(beginning);
}
