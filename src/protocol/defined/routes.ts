import type { HeaderFields, Route } from '../protocol.ts';

/** Makes routes. Requests that differ in nothing but the body share one: a sender prepares each once. */
export class Routes {
  readonly #fixed: Omit<Route, 'path' | 'headers'>;
  #latest: Route | undefined;

  constructor(fixed: Omit<Route, 'path' | 'headers'>) {
    this.#fixed = fixed;
  }

  /** `own` is the route of the same conversation's request before. */
  to(path: string, headers: HeaderFields, own: Route | undefined): Route {
    const known = [own, this.#latest].find((route) => route?.path === path && isSame(route.headers, headers));
    this.#latest = known ?? { ...this.#fixed, path, headers };
    return this.#latest;
  }
}

function isSame(some: HeaderFields, others: HeaderFields): boolean {
  const names = Object.keys(some);
  return (
    some === others ||
    (names.length === Object.keys(others).length && names.every((name) => some[name] === others[name]))
  );
}
