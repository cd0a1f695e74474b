import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { runScenario } from '../../src/app/library/run-scenario.ts';
import type { Result } from '../../src/result/result.ts';
import type { AuthOptions, Scenario } from '../../src/scenario/scenario.ts';
import type { GivenToken } from '../../src/scenario/scenario-values.ts';

/** A service that knows when its tokens end, and counts. */
class Service {
  readonly server = createServer((request, response) => this.#answer(request, response));
  /** The tokens that were issued, and when each ends by the wall clock. */
  readonly ends = new Map<string, number>();
  /** Tokens that were refused because they had ended. */
  readonly refused = new Set<string>();
  refusals = 0;
  lifeMs = Infinity;
  /** Number of requests that a token admits before it ends. */
  maxUses = Infinity;
  readonly #uses = new Map<string, number>();
  /** Takes over the answers. */
  hold: ((answer: () => void) => void) | undefined;
  /** Runs before a token is issued, so that it decides how long that token lives. */
  onIssue: (issued: number) => void = () => undefined;

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  issue(): { value: string; endsAt: number } {
    const number = this.ends.size + 1;
    this.onIssue(number);
    const value = `token-${String(number)}-of-this-service`;
    const endsAt = Date.now() + this.lifeMs;
    this.ends.set(value, endsAt);
    return { value, endsAt };
  }

  revoke(): void {
    for (const value of this.ends.keys()) this.ends.set(value, 0);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    request.on('end', () => {
      const answer = (): void => this.#judge(request, response);
      if (this.hold === undefined) answer();
      else this.hold(answer);
    });
  }

  #judge({ headers }: IncomingMessage, response: ServerResponse): void {
    const token = headers.authorization?.replace('Bearer ', '') ?? '';
    const uses = (this.#uses.get(token) ?? 0) + 1;
    this.#uses.set(token, uses);
    const isValid = uses <= this.maxUses && Date.now() < (this.ends.get(token) ?? 0);
    if (!isValid) {
      this.refusals++;
      this.refused.add(token);
    }
    response.writeHead(isValid ? 200 : 401, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(isValid ? completion() : { error: { message: `no: ${token}`, type: 'invalid_request_error' } }),
    );
  }
}

let replies = 0;
const completion = () => ({
  id: `reply-${String(++replies)}`,
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
});

const services: Service[] = [];
afterEach(async () => {
  for (const { server } of services.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

function open(): Service {
  const service = new Service();
  services.push(service);
  return service;
}

async function run(
  service: Service,
  auth: AuthOptions,
  scenario: Partial<Scenario>,
  signal?: AbortSignal,
): Promise<Result> {
  const baseUrl = await service.listen();
  return runScenario(
    {
      name: 'tokens',
      messages: ['Hi', 'And now?', 'Thanks.'],
      retry: 'none',
      load: { concurrency: 8 },
      ...scenario,
      target: { baseUrl, agentId: 'm', protocol: 'openai-chat', auth },
    },
    { signal },
  );
}

function expectNoFailure(result: Result): void {
  expect(result.books.turns.failed).toBe(0);
  expect(result.books.turns.ok).toBeGreaterThan(100);
  expect(result.books.balanced).toBe(true);
  // Tokens are in no part of a result, examples of refusals included.
  expect(JSON.stringify(result)).not.toMatch(/token-\d+-of-this-service/);
}

describe('tokens that end under load', () => {
  test('100 known ends: none fails, and each is renewed once', async () => {
    const service = open();
    service.lifeMs = 160;
    const over = new AbortController();
    service.onIssue = (issued) => {
      if (issued > 100) {
        service.lifeMs = Infinity;
        over.abort();
      }
    };
    const token = (): GivenToken => {
      const { value, endsAt } = service.issue();
      return { value, expiresAt: new Date(Math.min(endsAt, Date.now() + 3_600_000)) };
    };
    const result = await run(service, { token }, { duration: '50s' }, over.signal);
    expectNoFailure(result);
    expect(service.ends.size).toBe(101);
    expect(result.transport?.tokens).toEqual({ fetched: 101, failed: 0, retried: service.refusals });
  });

  test('100 ends that nobody knew of: each is noticed, and renewed once', async () => {
    const service = open();
    // A time would depend on the machine: the second attempt of a refused turn could arrive after the end of its token.
    service.maxUses = 20;
    const over = new AbortController();
    service.onIssue = (issued) => {
      if (issued > 100) {
        service.maxUses = Infinity;
        over.abort();
      }
    };
    const token = (): GivenToken => ({ value: service.issue().value });
    const result = await run(service, { token }, { duration: '50s' }, over.signal);
    expectNoFailure(result);
    expect(service.refused.size).toBe(100);
    expect(result.transport?.tokens).toEqual({ fetched: 101, failed: 0, retried: service.refusals });
  });

  test('a token revoked with 50 turns in flight is renewed once', async () => {
    const service = open();
    const held: (() => void)[] = [];
    service.hold = (answer) => {
      held.push(answer);
      if (held.length < 50) return;
      service.hold = undefined;
      service.revoke();
      held.forEach((each) => each());
    };
    const token = (): GivenToken => ({ value: service.issue().value });
    const result = await run(service, { token }, { sessions: 50, messages: ['Hi'], load: { concurrency: 50 } });
    expect(result.books.turns).toMatchObject({ ok: 50, failed: 0 });
    expect(service.ends.size).toBe(2);
    expect(result.transport?.tokens).toEqual({ fetched: 2, failed: 0, retried: 50 });
  });
});

describe('a token function', () => {
  test.each<[string, () => unknown, RegExp]>([
    [
      'throws',
      () => {
        throw new Error('the vault is locked');
      },
      /target.auth.token threw: the vault is locked/,
    ],
    ['returns nothing', () => undefined, /target.auth.token returned nothing/],
    ['returns a text', () => 'abc', /returned a string/],
    ['returns no value', () => ({}), /returned no token/],
    ['returns a line break', () => ({ value: 'abc\r\nX: y' }), /a line break/],
    ['returns an invalid date', () => ({ value: 'abc', expiresAt: 'soon' }), /expiresAt that is not a date/],
    ['returns seconds', () => ({ value: 'abc', expiresAt: 1_800_000_000 }), /had already expired, at 1970/],
  ])('that %s is an error before the start', async (_, call, reason) => {
    const service = open();
    const running = run(service, { token: call as () => GivenToken }, { sessions: 1 });
    await expect(running).rejects.toMatchObject({
      code: 'environment',
      message: expect.stringMatching(reason) as string,
      hint: expect.stringContaining('target.auth.token') as string,
    });
    expect(service.refusals).toBe(0);
  });

  test('that fails during the run is called again', async () => {
    const service = open();
    let asked = 0;
    const token = (): GivenToken => {
      if (++asked === 2) throw new Error('the vault is locked');
      return { value: service.issue().value };
    };
    service.hold = (answer) => {
      service.hold = undefined;
      service.revoke();
      answer();
    };
    const result = await run(service, { token }, { sessions: 1 });
    expect(result.books.turns).toMatchObject({ ok: 3, failed: 0 });
    expect(result.transport?.tokens).toEqual({ fetched: 2, failed: 1, retried: 1 });
  });
});
