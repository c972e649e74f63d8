/** One object of a PEM text. */
export interface PemBlock {
  /** `CERTIFICATE`, `PRIVATE KEY`, `EC PRIVATE KEY` and so on. */
  readonly label: string;
  /** The object with its lines of begin and end. */
  readonly pem: string;
}

/** All objects of a text, in their order; what stands between them is skipped, as RFC 7468 says. */
export function pemBlocks(text: string): readonly PemBlock[] {
  const blocks = text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----(?:(?!-----)[\s\S])+-----END \1-----/g);
  return [...blocks].map(([pem, label = ""]) => ({ label, pem: `${pem}\n` }));
}
