/** The id of nothing. */
export const NOBODY = "0123456789abcdef01234567";

/** What these ask for beside a body. */
export const KEYS = {
  dId: "7234",
  locationId: NOBODY,
  memberId: NOBODY,
  number: "1",
  name: "notice",
} as const;

/** What is asked of the paths that need more than their name, or have more. */
export const QUERIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "/api/overview": { period: "week" },
  "/api/record/sum": { from: "2026-03-11", room: "101" },
  "/api/record": { from: "2026-03-11", location: "Clínica Norte" },
  "/api/export": { lang: "es" },
  "/api/report": { month: "2026-03", location: "Clínica Norte" },
};
