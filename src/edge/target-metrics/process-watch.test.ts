import { describe, expect, test } from 'vitest';
import { pageOf, Registry, scrape } from '../../../test/support/metrics-registry.ts';
import { ms } from '../../base/time.ts';
import { EndpointAccount } from './endpoint-account.ts';

describe('several processes behind one port', () => {
  const workers = (starts: readonly (number | undefined)[] = []) => {
    const made = [new Registry(starts[0]), new Registry(starts[1])] as const;
    made[0].serve({ code: '200' }, 500);
    made[1].serve({ code: '200' }, 20);
    return made;
  };
  /** Bodies of scrapes answered by these workers, each of which serves between two scrapes. */
  const answered = (
    [one, two]: readonly [Registry, Registry],
    by: readonly number[],
    growth: readonly [number, number] = [10, 5],
  ) =>
    by.map((worker) => {
      one.serve({ code: '200' }, growth[0]);
      two.serve({ code: '200' }, growth[1]);
      return (worker === 0 ? one : two).text;
    });

  test.each([
    ['by turns', [0, 1, 0, 1, 0]],
    ['as a balancer decides', [0, 0, 1, 1, 0, 0, 1]],
    ['with one exception', [0, 0, 1, 0, 0]],
    ['with another exception', [1, 1, 0, 1, 1, 0, 0]],
  ])('are withheld if they answer %s', (_, by) => {
    const { withheld, metrics, requests } = scrape(answered(workers(), by));
    expect(withheld).toMatch(/without a new start time$/);
    expect([metrics, requests]).toEqual([[], 'served']);
  });

  test('are withheld in a run of two scrapes, by the scrapes after it', () => {
    for (const by of [
      [0, 1, 0, 1, 0],
      [1, 0, 1, 0, 1],
      [0, 0, 0, 1, 0],
      [1, 1, 0, 1, 0],
    ]) {
      const made = workers();
      const bodies = answered(made, by.slice(0, 2));
      expect(scrape(bodies, answered(made, by.slice(2), [0, 0])).withheld).not.toBeNull();
    }
  });

  test.each([[[0, 0, 1, 1, 1]], [[0, 0, 0, 0, 1]], [[0, 0, 0, 1, 1]]])(
    'are withheld if the counters fall once after a run of two scrapes: %j',
    (by) => {
      const made = workers();
      const bodies = answered(made, by.slice(0, 2));
      const { withheld, metrics } = scrape(bodies, answered(made, by.slice(2), [0, 0]));
      expect(withheld).toBe('counters decreased right after the load without a new start time');
      expect(metrics).toEqual([]);
    },
  );

  test('are not seen in a restart after the run, with a new start time', () => {
    const [one, two] = workers([500, 1000.5]);
    const bodies = [one.text];
    const ledger = one.serve({ code: '200' }, 30);
    const { withheld, served } = scrape([...bodies, one.text], [two.text, two.text]);
    expect(withheld).toBeNull();
    expect(served).toMatchObject({ increase: ledger, isExact: true });
  });

  test('that count almost alike are withheld', () => {
    const made = workers();
    made[1].serve({ code: '200' }, 481);
    const bodies = answered(made, [0, 1, 0, 1], [9, 8]);
    expect(scrape(bodies, answered(made, [0, 1, 0], [0, 0])).withheld).not.toBeNull();
  });

  test.each([
    ['their start times go back', [500, 400], /^the start time of the process went back$/, [0, 1]],
    ['a process had started before an earlier scrape', [400, 500], /^a process answered that had started/, [0, 1]],
  ])('are withheld if %s', (_, starts, reason, by) => {
    expect(scrape(answered(workers(starts), by)).withheld).toMatch(reason);
  });

  test('are withheld if one value decreases repeatedly, though it never returns, and others grow', () => {
    const texts = [500, 510, 400, 405, 300].map((value, index) =>
      ['served_total{code="500"}', String(value), '\nserved_total{code="200"}', String(index), '\n'].join(' '),
    );
    expect(scrape(texts).withheld).toBe('counters decreased repeatedly without a new start time');
    expect(scrape(texts.slice(0, -1)).withheld).toBeNull();
  });

  test('are withheld if only their label sets alternate', () => {
    const [one, two] = [new Registry(), new Registry()];
    one.serve({ pid: '7' }, 500);
    two.serve({ pid: '8' }, 20);
    expect(scrape([one.text, two.text, one.text]).withheld).not.toBeNull();
  });

  test.each([
    ['after which it grows as before', [40, 45, 8, 18, 29, 40, 52], 49],
    ['at the end of the run', [500, 510, 8], 10],
  ])('are not seen in a restart without a start time, %s', (_, values, increase) => {
    const { withheld, served } = scrape(values.map((value) => `served_total ${String(value)}\n`));
    expect(withheld).toBeNull();
    expect(served).toMatchObject({ increase, resets: 1, isExact: false });
  });

  test.each([
    ['counters fall', { code: '200' }, { code: '200' }],
    ['label sets are replaced', { pid: '7' }, { pid: '8' }],
  ])('add nothing of the history of another one to a lower bound, if %s', (_, first, second) => {
    const [one, two] = [new Registry(), new Registry()];
    one.serve(first, 2000);
    two.serve(second, 520);
    two.serve({ ...second, path: '/old' }, 90);
    const bodies = [one.text];
    const ledger = one.serve(first, 60);
    bodies.push(one.text, two.text);
    const later = two.serve(second, 50);
    bodies.push(two.text);
    const { withheld, served, took } = scrape(bodies);
    expect(withheld).toBeNull();
    expect(served).toMatchObject({ increase: ledger + later, isExact: false });
    expect(took).toMatchObject({ increase: ledger + later, isExact: false });
  });

  test('add nothing of series that are higher in the other one', () => {
    const text = (served: number, took: number) =>
      `served_total ${String(served)}\ntook_seconds_total ${String(took)}\n`;
    const account = new EndpointAccount({
      url: 'http://127.0.0.1:9/metrics',
      series: ['served', 'took_seconds'],
      requests: 'served',
      everyMs: ms(1000),
    });
    [text(10, 700), text(15, 710), text(400, 30), text(404, 32)].forEach((body, index) =>
      account.add(pageOf(account, body), index * 1000, true),
    );
    const [served, took] = account.publish().metrics.toSorted((a, b) => a.name.localeCompare(b.name));
    expect(served).toMatchObject({ increase: 9, resets: 1, isExact: false });
    expect(took).toMatchObject({ increase: 12, resets: 1, isExact: false });
  });

  test('do not include a label set that disappears and returns while others grow', () => {
    const server = new Registry();
    server.serve({ code: '200' }, 500);
    server.serve({ code: '500' }, 3);
    const bodies = [server.text];
    let ledger = server.serve({ code: '200' }, 5);
    bodies.push(server.text);
    server.forget('code="500"');
    ledger += server.serve({ code: '200' }, 5);
    bodies.push(server.text);
    server.serve({ code: '500' }, 2);
    bodies.push(server.text);
    const { withheld, served } = scrape(bodies);
    expect(withheld).toBeNull();
    expect(served).toMatchObject({ increase: ledger, isExact: false });
  });

  test('are not seen in further scrapes of one process, which are not a part of the run', () => {
    const server = new Registry(500);
    server.serve({ code: '200' }, 500);
    const bodies = [server.text];
    const ledger = server.serve({ code: '200' }, 30);
    bodies.push(server.text);
    const later = [server.text];
    server.serve({ code: '200' }, 2);
    later.push(server.text, server.text);
    const { withheld, served, scrapes } = scrape(bodies, later);
    expect([withheld, scrapes]).toEqual([null, 2]);
    expect(served).toMatchObject({ increase: ledger, after: 530, isExact: true });
  });
});
