interface Closable {
  close?(): unknown;
  remove?(): unknown;
}

/** What all tests of a suite share: made before the first of them, closed or removed after the last. */
export function forSuite<T extends object>(make: () => T | Promise<T>): T {
  return standing(make, before, after);
}

/** What each test of a suite has of its own: made before it, closed or removed after it. */
export function forEachTest<T extends object>(make: () => T | Promise<T>): T {
  return standing(make, beforeEach, afterEach);
}

type Hook = (run: () => Promise<void>) => void;

/** An object that stands for the one which the hook makes: each use of it in a test is a use of that one. */
function standing<T extends object>(make: () => T | Promise<T>, begin: Hook, end: Hook): T {
  let made: T | undefined;
  const current = (): T => {
    if (made === undefined) throw new Error("This is made when its suite or test begins.");
    return made;
  };
  begin(async () => {
    made = await make();
  });
  end(async () => {
    const last: (T & Closable) | undefined = made;
    await (last?.close ?? last?.remove)?.call(last);
  });
  return new Proxy({} as T, {
    get: (_, name) => {
      const member: unknown = Reflect.get(current(), name);
      return typeof member === "function" ? member.bind(current()) : member;
    },
    set: (_, name, value) => Reflect.set(current(), name, value),
  });
}
