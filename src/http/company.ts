import type Koa from "koa";
import { type ClinicComparison, compareClinics, getCompanyStatus } from "../contract/clinic.ts";
import type { QueryOf } from "../contract/declaration.ts";
import type { Clock } from "../domain/clock.ts";
import { type Clinic, clinicState, hueOf, isTroubled } from "../domain/gateway.ts";
import type { CompanySales } from "../domain/sales.ts";
import type { PasswordHasher } from "../domain/user.ts";
import { buildApp, healthMiddleware, type SiteDependencies, salesEndpoints } from "./app.ts";
import { type MemberReader, type MemberWriter, memberEndpoints } from "./member.ts";
import { toDaysAnswer, toSoldAnswer } from "./overview.ts";
import { letterheadEndpoint } from "./report.ts";
import { type Endpoint, serve } from "./router.ts";
import { sessionEndpoints } from "./session.ts";

/** What a company's database tells of its clinics. */
export interface ClinicReads {
  /** Every gateway, and the database's time in Unix milliseconds. */
  clinics(): Promise<{ readonly clinics: readonly Clinic[]; readonly nowMs: number }>;
}

export interface CompanyDependencies extends SiteDependencies {
  readonly members: MemberReader & MemberWriter;
  readonly sales: CompanySales & ClinicReads;
  readonly passwords: PasswordHasher;
  readonly clock: Clock;
  readonly version: string;
  readonly company: { readonly name: string; readonly timeZone: string };
  readonly currency: { readonly code: string; readonly decimals: number };
  readonly isHealthy: () => Promise<boolean>;
}

/** The page and API of a company: what a gateway's has that only reads, and its clinics. */
export function createCompanyApp(dependencies: CompanyDependencies): Koa {
  const { sessions, members, sales, passwords, signInGate, clock, log, isHealthy } = dependencies;
  // All that is in the database is the company's own: nothing is told by its numbers.
  const numbers = { show: (number: number) => number, find: (number: number) => number };
  return buildApp(dependencies, {
    described: [
      ...sessionEndpoints(sessions, passwords, signInGate, members),
      ...memberEndpoints("company", members, members, sessions, passwords, signInGate),
      ...salesEndpoints(sales, numbers, clock, log),
      ...clinicEndpoints(dependencies),
      // What a gateway's owner sets; the company's name stands for it.
      letterheadEndpoint(() => ({
        company: dependencies.company.name,
        taxNumber: "",
        address: "",
        logo: "",
      })),
    ],
    hidden: [],
    before: [healthMiddleware(isHealthy)],
    positionOf: () => null,
  });
}

function clinicEndpoints(dependencies: CompanyDependencies): readonly Endpoint[] {
  const { sales, clock, version, company, currency } = dependencies;
  return [
    serve(compareClinics, async ({ query }) => ({ data: await compared(sales, query, clock.nowMs()) })),
    serve(getCompanyStatus, async () => {
      const { clinics, nowMs } = await sales.clinics();
      const troubled = clinics.filter((clinic) => isTroubled(clinicState(clinic, nowMs))).length;
      return {
        data: {
          version,
          timeZone: company.timeZone,
          currency,
          troubled,
          simulated: false,
          clock: { time: clock.nowMs() },
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
  const states = new Map(fares.clinics.map((clinic) => [clinic.name, clinic]));
  return {
    days: toDaysAnswer(sold),
    before: toDaysAnswer(sold.before),
    clinics: sold.clinics.flatMap((own) => {
      const clinic = states.get(own.name);
      // Added between the two readings.
      if (clinic === undefined) return [];
      const { name, timeZone, seenMs, position, newest, forkedAt, untold, clockOffMs } = clinic;
      return [
        {
          name,
          timeZone,
          ...toSoldAnswer(own),
          before: toSoldAnswer(own.before),
          state: clinicState(clinic, fares.nowMs),
          seenTime: seenMs,
          waiting: Math.max(0, newest - position),
          forkedAt,
          untold,
          clockOffMs,
        },
      ];
    }),
  };
}
