import type Koa from "koa";
import {
  type ClinicComparison,
  compareClinics,
  getClinicSettlement,
  getCompanyStatus,
  listClinicSettlements,
  listGateways,
  type ToldGateway,
} from "../contract/clinic.ts";
import type { QueryOf } from "../contract/declaration.ts";
import type { PasswordHasher } from "../domain/account.ts";
import { hueOf } from "../domain/gateway.ts";
import { buildApp, healthProbe, type SiteDependencies, salesEndpoints } from "../http/app.ts";
import { type MemberReader, type MemberWriter, memberEndpoints, selfEndpoints } from "../http/member.ts";
import { METRICS_PATH, metricsProbe } from "../http/metrics.ts";
import { toDaysAnswer, toSoldAnswer } from "../http/overview.ts";
import { letterheadEndpoint } from "../http/report.ts";
import { type Endpoint, serve } from "../http/router.ts";
import { sessionEndpoints } from "../http/session.ts";
import { inTurns, isTroubled, severityOf, textsOf, type WatchedClinic } from "./clinic.ts";
import { CLINIC_MEASURES } from "./metrics.ts";
import type { CompanySales } from "./sales.ts";

/** A company's page is opened by one address, which browsers trust. */
const NO_REACH = { page: null, trust: null };

/** Reads of the clinics in a company's database. */
export interface ClinicReads {
  /** Every gateway, and the database's time in Unix milliseconds. */
  clinics(): Promise<{ readonly clinics: readonly WatchedClinic[]; readonly nowMs: number }>;
}

export interface CompanyDependencies extends SiteDependencies {
  readonly members: MemberReader & MemberWriter;
  readonly sales: CompanySales & ClinicReads;
  readonly passwords: PasswordHasher;
  readonly version: string;
  readonly company: { readonly name: string; readonly timeZone: string };
  readonly currency: { readonly code: string; readonly decimals: number };
  readonly isHealthy: () => Promise<boolean>;
  /** As `metricsProbe` takes it. */
  readonly metricsTokenFile: string | null;
}

/** The page and API of a company: the endpoints of a gateway that only read, and those of its clinics. */
export function createCompanyApp(dependencies: CompanyDependencies): Koa {
  const {
    sessions,
    members,
    sales,
    passwords,
    signInGate,
    clock,
    log,
    currency,
    isHealthy,
    metricsTokenFile,
  } = dependencies;
  return buildApp(dependencies, {
    described: [
      ...sessionEndpoints(sessions, passwords, signInGate, members),
      ...selfEndpoints("company", members, members, sessions, passwords, signInGate),
      ...memberEndpoints(members, members, passwords, () => NO_REACH),
      ...salesEndpoints(sales, clock, log, currency, null),
      ...clinicEndpoints(dependencies),
      // A company has no letterhead of its own: its name stands for it.
      letterheadEndpoint(() => ({
        company: dependencies.company.name,
        taxNumber: "",
        address: "",
        logo: "",
      })),
    ],
    probes: {
      "/healthz": healthProbe(isHealthy),
      [METRICS_PATH]: metricsProbe(CLINIC_MEASURES, () => sales.clinics(), metricsTokenFile),
    },
    positionOf: () => null,
  });
}

function clinicEndpoints(dependencies: CompanyDependencies): readonly Endpoint[] {
  const { sales, clock, version, company, currency } = dependencies;
  return [
    serve(compareClinics, async ({ query }) => ({ data: await compared(sales, query, clock.nowMs()) })),
    serve(listClinicSettlements, async ({ query: { month } }) => ({
      data: await sales.settlements((await sales.clinics()).clinics, month),
    })),
    serve(getClinicSettlement, async ({ query: { id } }) => ({ data: await sales.settlement(id) })),
    serve(listGateways, async () => ({ data: await inTurns((await sales.clinics()).clinics, toGateway) })),
    serve(getCompanyStatus, async () => {
      const { clinics } = await sales.clinics();
      const troubled = clinics.filter(({ states }) => isTroubled(states)).length;
      return {
        data: {
          version,
          timeZone: company.timeZone,
          currency,
          troubled,
          simulated: false,
          clock: { nowMs: clock.nowMs() },
          gateway: { name: company.name, hue: hueOf(Buffer.from(company.name).toString("hex")) },
          tests: [],
          lastEdges: [],
          faults: [],
        },
      };
    }),
  ];
}

async function compared(
  sales: CompanyDependencies["sales"],
  { period, at }: QueryOf<typeof compareClinics>,
  nowMs: number,
): Promise<ClinicComparison> {
  const [sold, fares] = await Promise.all([sales.compare(period, at ?? null, nowMs), sales.clinics()]);
  const states = new Map(fares.clinics.map((clinic) => [clinic.name, clinic.states]));
  return {
    days: toDaysAnswer(sold),
    before: toDaysAnswer(sold.before),
    clinics: sold.clinics.flatMap((own) => {
      const known = states.get(own.name);
      // The clinic was added between the two reads.
      if (known === undefined) return [];
      return [{ name: own.name, ...toSoldAnswer(own), before: toSoldAnswer(own.before), states: known }];
    }),
  };
}

function toGateway(clinic: WatchedClinic): ToldGateway {
  const { role: _role, seenMs, position, newest, report, versionMs: _versionMs, ...own } = clinic;
  return {
    ...own,
    seenTime: seenMs,
    waiting: Math.max(0, newest - position),
    told: report && {
      version: report.version,
      clockTrusted: report.clockTrusted,
      certificateEndsTime: report.certificateEndsMs,
      disk: report.disk,
      backupTime: report.backupMs,
      remoteBackupTime: report.remoteBackupMs,
      faults: report.faults.map((one) => ({
        code: one.code,
        severity: severityOf(one.code),
        count: one.count,
        texts: textsOf(one, own.timeZone),
      })),
    },
  };
}
