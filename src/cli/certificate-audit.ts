import { X509Certificate } from "node:crypto";
import { type AuditNote, SERVICE_ACTOR } from "../domain/audit.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";
import type { Served } from "../tls/served.ts";

/** Notes each certificate that is served for the first time in the audit log, also one that came while no service ran. */
export class CertificateAudit {
  readonly #reader: Pick<LedgerReader, "lastAudit">;
  readonly #writer: Pick<LedgerWriter, "noteAudit">;
  readonly #log: Log;
  #noted: string | undefined;

  constructor(reader: Pick<LedgerReader, "lastAudit">, writer: Pick<LedgerWriter, "noteAudit">, log: Log) {
    this.#reader = reader;
    this.#writer = writer;
    this.#log = log;
  }

  /** Never rejects: whether the ledger takes it or not, the certificate is served, and the next start notes it. */
  async note({ cert, own }: Pick<Served, "cert" | "own">): Promise<void> {
    const { fingerprint256: fingerprint, validTo } = new X509Certificate(cert);
    try {
      this.#noted ??= String(this.#reader.lastAudit("certificate_changed")?.details["fingerprint"] ?? "");
      if (this.#noted === fingerprint) return;
      this.#noted = fingerprint;
      const details = { fingerprint, validTo: new Date(validTo).toISOString(), own };
      const note: AuditNote = { kind: "certificate_changed", userId: null, details, actor: SERVICE_ACTOR };
      await this.#writer.noteAudit([note]);
    } catch (error) {
      this.#log.warn({ err: error }, "the certificate that is served could not be noted");
    }
  }
}
