/**
 * Time after which a test counts as hung, in milliseconds. A limit on time never fails a test because a machine is slow
 * or busy: the longest test takes about a thirtieth of it on an idle machine.
 */
export const hangMs = 600_000;

/** Deadline of a wait within a test, in milliseconds: before that of the test, so that the message names the wait. */
export const waitMs = hangMs / 2;

/** Options of `vi.waitUntil`, `vi.waitFor` and `expect.poll`. */
export const patient = { timeout: waitMs, interval: 20 };
