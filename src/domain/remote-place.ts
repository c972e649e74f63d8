/** The ways to a remote place: `https` is WebDAV. */
const KINDS = ["sftp", "https", "s3", "smb"] as const;

/** A place outside of the house that backups are kept at. */
export interface RemotePlace {
  readonly kind: (typeof KINDS)[number];
  /** Name or address; an IPv6 address without its brackets. */
  readonly host: string;
  /** Empty: the usual one. */
  readonly port: string;
  /** The folder, without the slash before it. Of S3 it begins with the bucket, of SMB with the share. */
  readonly path: string;
}

const ADDRESS = new RegExp(
  `^(${KINDS.join("|")})://(\\[[0-9a-f:.]+\\]|[\\w.-]+)(?::(\\d{1,5}))?(?:/([^\\s?#]*))?$`,
  "i",
);

/** Reads `sftp://HOST:PORT/FOLDER`, which has no login. Undefined for any other text. */
export function remotePlace(address: string): RemotePlace | undefined {
  const [, scheme = "", host = "", port = "", path = ""] = ADDRESS.exec(address) ?? [];
  const kind = KINDS.find((one) => one === scheme.toLowerCase());
  const lacksTop = (kind === "s3" || kind === "smb") && path === "";
  if (kind === undefined || lacksTop) return undefined;
  return { kind, host: host.replace(/^\[|\]$/g, ""), port, path };
}
