import { LINES } from "./chip.ts";

/** The device has as many rooms as there are lines. */
const ROOMS = LINES.length;

/** One thing that happens. A step that makes no sense at its moment does nothing, so that any part of a history is one. */
export type Step =
  /** The line changes so many times, each this many microseconds after the one before. */
  | { readonly kind: "edges"; readonly line: number; readonly count: number; readonly everyUs: number }
  /** The line changes and the hardware does not report it; then it stays as it is for long enough that a look finds it. */
  | { readonly kind: "swallow"; readonly line: number }
  /** Time passes; the process works as it can. */
  | { readonly kind: "wait"; readonly ms: number }
  /** The process does all that it can at this moment. */
  | { readonly kind: "settle" }
  /** One turn of its loop: timers that are due, then what the lines and the disk have for it. */
  | { readonly kind: "turn" }
  /** The disk commits what it was sent. */
  | { readonly kind: "commit" }
  | { readonly kind: "post"; readonly key: number }
  | {
      readonly kind: "wire";
      readonly line: number;
      readonly room: number;
      readonly valor: number;
      readonly rearmMs: number;
      readonly paidMinutes: number;
    }
  /** What is paid of a room moves to another one. */
  | { readonly kind: "move"; readonly room: number; readonly to: number }
  | { readonly kind: "unwire"; readonly line: number }
  | { readonly kind: "test"; readonly line: number; readonly ms: number }
  | { readonly kind: "end test" }
  /** A price for the line's room so many days later. */
  | {
      readonly kind: "plan";
      readonly line: number;
      readonly valor: number;
      readonly paidMinutes: number;
      readonly days: number;
    }
  /** A wiring that fails after it has written something. */
  | { readonly kind: "refused"; readonly line: number; readonly valor: number }
  /** Of the newest entry, or of the newest record though an audit entry follows it. */
  | { readonly kind: "void"; readonly ofRecord?: true }
  /** A sale by hand, of days before. */
  | { readonly kind: "add"; readonly room: number; readonly key: number; readonly valor: number }
  /** So much of the newest record is given back, or of the one before it. */
  | { readonly kind: "refund"; readonly valor: number; readonly back: number }
  /** The next month is closed with its settlement, whatever the clock says. */
  | { readonly kind: "close" }
  | { readonly kind: "trust" }
  /** The disk has no room for a further page, or has. */
  | { readonly kind: "disk"; readonly full: boolean }
  | { readonly kind: "stop" }
  | { readonly kind: "kill" }
  /** The power fails; `torn` is how much of the last commit's log was written, undefined where no commit is under way. */
  | { readonly kind: "power cut"; readonly torn?: number }
  /** The process starts. `killAfter`: it is killed after so many of its commits. */
  | { readonly kind: "start"; readonly killAfter?: number }
  | { readonly kind: "back up" }
  /** The newest backup takes the ledger's place; `withTail`: with what came after it. */
  | { readonly kind: "restore"; readonly withTail: boolean }
  | { readonly kind: "damage"; readonly how: number };

export interface History {
  readonly seed: number;
  /** Events that the kernel buffers for a line. */
  readonly bufferEvents: number;
  /** Whether the clock is set when the machine starts. */
  readonly clockSet: boolean;
  /** Whether a descriptor store keeps the lines. */
  readonly keeper: boolean;
  readonly steps: readonly Step[];
}

/** Random numbers from 0 to 1 that follow from a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function historyOf(seed: number): History {
  const random = randomFrom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const chance = (share: number) => random() < share;
  const oneOf = <T>(...choices: readonly [T, ...T[]]): T => choices[below(choices.length)] ?? choices[0];
  const line = () => below(LINES.length);
  const hasRearm = chance(0.3);
  // Of its own seed: histories without paid time are those that they were.
  const paidRandom = randomFrom(~seed);
  const hasPaid = paidRandom() < 0.25;
  const paidMinutes = () => (hasPaid ? ([0, 1, 1, 2][Math.floor(paidRandom() * 4)] ?? 0) : 0);
  const wire = (): Step => ({
    kind: "wire",
    line: line(),
    room: below(LINES.length),
    valor: 1 + below(9),
    rearmMs: hasRearm ? oneOf(0, 500, 20_000) : 0,
    paidMinutes: paidMinutes(),
  });
  const edges = (): Step => ({
    kind: "edges",
    line: line(),
    count: chance(0.05) ? 40 : 1 + below(4),
    everyUs: oneOf(1_500, 40_000, 700_000),
  });
  const down = (): Step =>
    oneOf<Step>(
      { kind: "stop" },
      { kind: "kill" },
      { kind: "kill" },
      chance(0.5) ? { kind: "power cut" } : { kind: "power cut", torn: random() },
    );
  const start = (): Step => (chance(0.1) ? { kind: "start", killAfter: below(4) } : { kind: "start" });
  const some = (most: number, step: () => Step): Step[] => Array.from({ length: below(most + 1) }, step);
  const turn = (): Step => ({ kind: "turn" });
  const commit = (): Step => ({ kind: "commit" });
  /** The power fails between one commit and the next, where much is on its way. */
  const cutOnTheWay = (): Step[] => {
    const onTheWay = oneOf<() => Step[]>(
      // What the lines kept for a process that was killed.
      () => [{ kind: "kill" }, edges(), ...some(2, edges), { kind: "start" }],
      // Edges of several lines while a commit takes long.
      () => [edges(), turn(), edges(), ...some(1, edges), turn()],
      // The same at a sign of life, which comes while the lines switch.
      () => [
        ...[{ kind: "wait", ms: 57_000 } as const, edges(), ...some(1, turn), turn()],
        ...[{ ...edges(), everyUs: 700_000 } as Step, turn(), ...some(1, commit), turn()],
      ],
      // Edges that lie unread while it is written.
      () => [{ kind: "wait", ms: 59_000 }, edges(), ...some(1, turn), edges(), turn()],
    );
    const commits = some(3, () => oneOf(turn(), commit()));
    return [...onTheWay(), ...commits, ...some(1, commit), { kind: "power cut" }, start()];
  };
  const restored = (): Step[] => [{ kind: "stop" }, { kind: "restore", withTail: chance(0.5) }, start()];
  const tested = (): Step[] => {
    const at = line();
    const test: Step = { kind: "test", line: at, ms: chance(0.5) ? 28_800_000 : 2_000 };
    const end: Step = { kind: "end test" };
    const onLine = (): Step => ({ ...edges(), line: at }) as Step;
    return [test, ...some(1, () => ({ kind: "settle" }) as const), onLine(), end, ...some(1, onLine)];
  };
  /** A price is set while a clock that is a year behind has not come to the planned one, whose day a trusted clock has seen. */
  const pricedBeforeTrust = (at: number): Step[] => {
    const priced = (valor: number): Step => ({
      kind: "wire",
      line: at,
      room: at,
      valor,
      rearmMs: 0,
      paidMinutes: 0,
    });
    const settle: Step = { kind: "settle" };
    return [
      ...LINES.map((_line, other): Step => ({ kind: "unwire", line: other })),
      settle,
      priced(3),
      settle,
      { kind: "plan", line: at, valor: 30, paidMinutes: 0, days: 1 },
      settle,
      { kind: "trust" },
      { kind: "wait", ms: 70_000 },
      { kind: "power cut" },
      { kind: "start" },
      priced(oneOf(3, 4)),
      settle,
      { ...edges(), line: at } as Step,
    ];
  };
  const rare = (): Step[] => {
    const which = below(12);
    // Few histories come to the sale that tells.
    if (which === 11) return pricedBeforeTrust(line());
    if (which === 10) return [{ kind: "swallow", line: line() }];
    if (which === 0) return [{ kind: "back up" }];
    if (which === 1)
      return chance(0.5) ? restored() : [{ kind: "back up" }, ...restored(), edges(), ...restored()];
    if (which === 2)
      return [oneOf<Step>({ kind: "stop" }, { kind: "kill" }), { kind: "damage", how: below(3) }, start()];
    if (which === 3) return [{ kind: "disk", full: chance(0.7) }];
    if (which === 4) return [{ kind: "trust" }];
    if (which === 5)
      return [
        { kind: "refused", line: line(), valor: 10 + below(9) },
        { kind: "post", key: below(8) },
      ];
    if (which === 6) return [{ kind: "void" }];
    if (which === 7) return tested();
    if (which === 8)
      return [
        {
          kind: "plan",
          line: line(),
          valor: 20 + below(9),
          paidMinutes: paidMinutes(),
          days: chance(0.8) ? 1 : 2,
        },
      ];
    return [{ kind: "unwire", line: line() }];
  };
  const next = (): Step[] => {
    const which = random();
    if (which < 0.32) return [edges()];
    if (which < 0.46) return [{ kind: "wait", ms: oneOf(5, 600, 3_000, 70_000) }];
    if (which < 0.53) return [{ kind: "settle" }];
    if (which < 0.57) return [turn()];
    if (which < 0.61) return [commit()];
    if (which < 0.66) return [{ kind: "post", key: below(8) }];
    if (which < 0.72) return [wire()];
    if (which < 0.8) return chance(0.5) ? [down(), start()] : [down(), edges(), start()];
    if (which < 0.88) return cutOnTheWay();
    return rare();
  };
  /** A power cut inside of paid time, with rises before the clock is set, if it ever is. */
  const paidOverCut = (): Step[] => {
    const at = Math.floor(paidRandom() * LINES.length);
    const rise = (): Step[] => [
      { kind: "edges", line: at, count: 2, everyUs: 700_000 },
      { kind: "wait", ms: [600, 3_000, 30_000, 70_000][Math.floor(paidRandom() * 4)] ?? 600 },
    ];
    const maybe = (share: number, ...steps: readonly Step[]) => (paidRandom() < share ? steps : []);
    const room = (at + 1) % LINES.length;
    return [
      { kind: "wire", line: at, room: at, valor: 3, rearmMs: 0, paidMinutes: 1 },
      { kind: "settle" },
      ...maybe(0.8, { kind: "trust" }, { kind: "settle" }),
      ...rise(),
      ...maybe(0.3, { kind: "move", room: at, to: room }, ...rise()),
      { kind: "power cut" },
      { kind: "start" },
      ...rise(),
      ...rise(),
      ...maybe(0.2, { kind: "void" }),
      ...maybe(0.3, { kind: "power cut" }, { kind: "start" }),
      ...maybe(0.6, { kind: "trust" }, { kind: "settle" }),
      ...rise(),
    ];
  };
  // Likewise of its own seed.
  const handRandom = randomFrom(seed ^ 0x55555555);
  const hasHand = handRandom() < 0.25;
  const handBelow = (limit: number) => Math.floor(handRandom() * limit);
  /** What people enter after a step. */
  const byHand = (step: Step): Step[] => {
    if (!hasHand || handRandom() > 0.3) return [step];
    const refund = (): Step => ({ kind: "refund", valor: 1 + handBelow(3), back: handBelow(2) });
    const which = handBelow(4);
    if (which === 0)
      return [step, { kind: "add", room: handBelow(ROOMS), key: handBelow(8), valor: 1 + handBelow(9) }];
    if (which === 1) return [step, { kind: "settle" }, refund(), { kind: "settle" }, refund()];
    if (which === 2) return [step, refund(), { kind: "settle" }, { kind: "void", ofRecord: true }];
    return [step, refund()];
  };
  const closeRandom = randomFrom(seed ^ 0x33333333);
  const hasClosings = closeRandom() < 0.25;
  /** Months are closed now and then. */
  const closing = (step: Step): Step[] =>
    hasClosings && closeRandom() < 0.1 ? [step, { kind: "settle" }, { kind: "close" }] : [step];
  const steps = [
    wire(),
    wire(),
    ...(hasPaid && paidRandom() < 0.5 ? paidOverCut() : []),
    ...Array.from({ length: 4 + below(chance(0.2) ? 30 : 10) }, next).flat(),
  ]
    .flatMap(byHand)
    .flatMap(closing);
  return {
    seed,
    bufferEvents: chance(0.9) ? 12 : 1_024,
    clockSet: chance(0.7),
    keeper: chance(0.85),
    steps,
  };
}
