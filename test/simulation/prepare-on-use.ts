import DatabaseConstructor, { type Database, type Statement } from "better-sqlite3";

/** Each gives the statement itself. */
const SETTINGS: ReadonlySet<string | symbol> = new Set(["pluck", "raw", "safeIntegers"]);

/** From here on a statement is prepared when it is first run: most are not within one history, and a process has a hundred. */
export function prepareOnUse(): void {
  const { prototype } = DatabaseConstructor;
  const { prepare } = prototype;
  prototype.prepare = function prepareLater(this: Database, sql: string) {
    const settings: (string | symbol)[] = [];
    let prepared: Statement | undefined;
    const now = () =>
      settings.reduce(
        (statement, name) => Reflect.get(statement, name).call(statement),
        prepare.call(this, sql),
      );
    const later: Statement = new Proxy({} as Statement, {
      get(_, name) {
        if (SETTINGS.has(name)) {
          return () => {
            settings.push(name);
            return later;
          };
        }
        prepared ??= now();
        return Reflect.get(prepared, name).bind(prepared);
      },
    });
    return later;
  } as typeof prepare;
}
