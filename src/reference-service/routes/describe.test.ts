import inject, { type DispatchFunc } from 'light-my-request';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../test/support/reference-client.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { faultOptions, faultTable } from '../../scenario/embedded-faults.ts';
import { kindNotes, kindsOf } from '../../scenario/embedded-kinds.ts';
import { embeddedDefaults, embeddedOptions } from '../../scenario/embedded.ts';
import { sabotageOptions, sabotageTable } from '../../scenario/embedded-sabotage.ts';
import { sessionsPath, messagesPath } from '../../protocol/chat-messaging/api.ts';
import { serviceRoutes } from './inspection.ts';
import { scriptedProvider } from '../conversation/scripted-provider.ts';
import { createService } from '../service.ts';
import { loadApis } from '../apis/registry.ts';

const apis = await loadApis();

function openService(author: object = {}) {
  const clock = new VirtualClock();
  const options = embeddedOptions.parse(author);
  const { server, stats, close } = createService({ options, apis, provider: scriptedProvider(options, clock), clock });
  onTestFinished(close);
  const dispatch: DispatchFunc = (request, response) => void server.emit('request', request, response);
  const headers = { authorization: `Bearer ${embeddedDefaults.apiKey}` };
  const ask = (method: 'GET' | 'POST', url: string, payload?: object) =>
    inject(dispatch, { method, url, headers, ...(payload !== undefined && { payload }) });
  const create = async (): Promise<string> => {
    const { data } = JSON.parse((await ask('POST', sessionsPath, { agentId: embeddedDefaults.agentId })).body) as {
      data: { sessionId: string };
    };
    return data.sessionId;
  };
  return { clock, stats, ask, create };
}

test('GET / lists every route, and every kind of fault and sabotage with an example', async () => {
  const { ask, stats } = openService();
  const { statusCode, body } = await ask('GET', '/');
  const said = JSON.parse(body) as Record<string, object> & { order: string };
  expect([statusCode, stats().unrouted]).toEqual([200, 0]);
  expect(Object.keys(said['faults'] ?? {})).toEqual(kindsOf(faultTable));
  expect(Object.keys(said['sabotage'] ?? {})).toEqual(kindsOf(sabotageTable));
  expect(said.order).toContain('one after another');
  expect(body).not.toContain(embeddedDefaults.apiKey);
});

test('the listed routes exist, and accept the listed bodies', async () => {
  const { ask, create, clock } = openService();
  const sessionId = await create();
  const routes = serviceRoutes(apis);
  expect(routes.flatMap(({ method, path }) => (method === 'UPGRADE' ? [path] : []))).toEqual([
    '/v1/socket',
    '/v1/responses',
  ]);
  for (const route of routes) {
    // test/socket/reference-sockets.test.ts opens these.
    if (route.method === 'UPGRADE') continue;
    const body = 'body' in route ? { ...route.body, ...('sessionId' in route.body && { sessionId }) } : undefined;
    const { statusCode } = await answered(clock, ask(route.method, route.path.replace('ID', sessionId), body));
    expect([route.path, statusCode]).toEqual([route.path, route.path === sessionsPath ? 201 : 200]);
  }
});

/** Waits for a response, also for one that is streamed in virtual time. */
async function answered<Response>(clock: VirtualClock, response: PromiseLike<Response>): Promise<Response> {
  let isOver = false;
  const over = Promise.resolve(response).finally(() => (isOver = true));
  await until(() => {
    void clock.run();
    return isOver;
  });
  return over;
}

test.each(Object.entries(kindNotes(faultTable)))('the example of the fault %s can be used', (kind, { example }) => {
  expect(faultOptions.safeParse(example).error?.issues ?? []).toEqual([]);
  expect(example.kind).toBe(kind);
});

test.each(Object.entries(kindNotes(sabotageTable)))(
  'the example of the sabotage %s can be used',
  (kind, { example }) => {
    expect(sabotageOptions.safeParse(example).error?.issues ?? []).toEqual([]);
    expect(example.kind).toBe(kind);
  },
);

test('messages of one session are answered in order, those of two concurrently', async () => {
  const { clock, stats, ask, create } = openService({ latency: '1s' });
  const [one, two] = [await create(), await create()];
  const ends: string[] = [];
  const values = { customerName: 'Ada', orderNumber: '1' };
  for (const [name, sessionId] of Object.entries({ a: one, b: one, c: two }))
    void ask('POST', messagesPath, {
      agentId: embeddedDefaults.agentId,
      sessionId,
      message: name,
      variableValues: values,
    }).then(() => ends.push(`${name} ${String(clock.now())}`));
  await until(() => stats().messages.received === 3);
  await clock.run();
  await until(() => ends.length === 3);
  expect(ends.sort()).toEqual(['a 1000', 'b 2000', 'c 1000']);
});
