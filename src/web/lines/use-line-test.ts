import { useEffect, useRef, useState } from "preact/hooks";
import { CONFLICT, NOT_FOUND, statusOf } from "../api/api.ts";
import { useGateway } from "../live/gateway.ts";
import { type Moves, NO_MOVES, withChange, withLook, withOnly } from "./moves.ts";

/** The lines under test, and their moves. */
export interface LineTest {
  readonly isOn: boolean;
  /** Addresses of the free lines that are read. */
  readonly picked: ReadonlySet<string>;
  readonly moves: Moves;
  /** The last reading did not reach the gateway. */
  readonly hasFailed: boolean;
  /** A line that was taken out because something uses it. */
  readonly refused: string | null;
  readonly begin: () => void;
  readonly end: () => void;
  readonly pick: (addresses: readonly string[]) => void;
  readonly toggle: (address: string) => void;
  readonly drop: (address: string) => void;
  /** Takes a live event of a watched line. */
  readonly change: (address: string, level: boolean, timeMs: number) => void;
}

/** Pause between two rounds of reading: quick enough for a person who switches a relay, and little work for the gateway. */
const ROUND_MS = 300;

/** Reads the picked lines again and again while the test is on and the page is visible. */
export function useLineTest(): LineTest {
  const { api, now } = useGateway();
  const [isOn, setOn] = useState(false);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [moves, setMoves] = useState<Moves>(NO_MOVES);
  const [hasFailed, setFailed] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);
  const wanted = useRef(picked);
  wanted.current = picked;

  useEffect(() => {
    if (!isOn) return;
    let isCurrent = true;
    let rest: ReturnType<typeof setTimeout> | undefined;
    const lookAt = async (address: string) => {
      try {
        const { data } = await api.send("post", "/api/line/read", { line: address });
        if (!isCurrent || !wanted.current.has(address)) return;
        setFailed(false);
        setMoves((before) => withLook(before, address, data.level, now()));
      } catch (error) {
        const status = statusOf(error);
        if (!isCurrent) return;
        if (status === CONFLICT || status === NOT_FOUND) {
          setRefused(address);
          setPicked((before) => without(before, address));
        } else setFailed(true);
      }
    };
    const round = async () => {
      for (const address of wanted.current) {
        if (!isCurrent || document.hidden) break;
        await lookAt(address);
      }
      if (isCurrent) rest = setTimeout(() => void round(), ROUND_MS);
    };
    void round();
    return () => {
      isCurrent = false;
      clearTimeout(rest);
    };
  }, [api, now, isOn]);

  return {
    isOn,
    picked,
    moves,
    hasFailed,
    refused,
    begin: () => {
      setMoves(NO_MOVES);
      setRefused(null);
      setFailed(false);
      setOn(true);
    },
    end: () => {
      setOn(false);
      setPicked(new Set());
    },
    pick: (addresses) => {
      const next = new Set(addresses);
      setRefused(null);
      setMoves((before) =>
        withOnly(
          before,
          new Set([...next, ...[...before.levels.keys()].filter((line) => !picked.has(line))]),
        ),
      );
      setPicked(next);
    },
    toggle: (address) => {
      setRefused(null);
      setMoves((before) => withOnly(before, without(new Set(before.levels.keys()), address)));
      setPicked((before) => (before.has(address) ? without(before, address) : new Set([...before, address])));
    },
    drop: (address) => setPicked((before) => without(before, address)),
    change: (address, level, timeMs) => setMoves((before) => withChange(before, address, level, timeMs)),
  };
}

function without(lines: ReadonlySet<string>, line: string): ReadonlySet<string> {
  return new Set([...lines].filter((other) => other !== line));
}
