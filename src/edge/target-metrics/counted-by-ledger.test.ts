import { describe, expect, test } from 'vitest';
import { pageOf, Registry, scrape } from '../../../test/support/metrics-registry.ts';
import { ms } from '../../base/time.ts';
import { EndpointAccount } from './endpoint-account.ts';

describe('the increase is what the server counted', () => {
  const [ok, failed] = [{ code: '200' }, { code: '500' }];

  test('if a label set disappears', () => {
    const server = new Registry();
    server.serve(ok, 1000);
    server.serve(failed, 1_000_000);
    const bodies = [server.text];
    let ledger = server.serve(ok, 300) + server.serve(failed, 200, 20);
    bodies.push(server.text);
    server.forget('code="500"');
    ledger += server.serve(ok, 78);
    bodies.push(server.text);
    const { served, took } = scrape(bodies);
    expect(served).toMatchObject({ increase: ledger, resets: 0, vanished: 1, isExact: false });
    expect(took).toMatchObject({ increase: ledger, vanished: 1 });
    expect(served?.lines[0]?.values).toEqual([null, 500, 78]);
    // 20 of 578 observations are above 100 ms.
    expect(took?.lines[1]).toMatchObject({ name: 'p95', mean: expect.closeTo((100 * 0.95 * 578) / 558, 3) as number });
  });

  test('at least, if one label set is reset: what was counted since the scrape before is not known', () => {
    const server = new Registry();
    server.serve(ok, 1000, 5);
    server.serve(failed, 50);
    const bodies = [server.text];
    let ledger = server.serve(ok, 100, 3);
    bodies.push(server.text);
    server.forget('code="200"');
    server.serve(ok, 40, 1);
    server.serve(failed, 7);
    bodies.push(server.text);
    ledger += server.serve(ok, 4000) + server.serve(failed, 1);
    bodies.push(server.text);
    const { served, took, withheld } = scrape(bodies);
    expect(withheld).toBeNull();
    expect(served).toMatchObject({ before: 1050, increase: ledger, resets: 1, vanished: 0, isExact: false });
    expect(took).toMatchObject({ increase: ledger, resets: 1 });
  });

  test('if a label set appears during the run', () => {
    const server = new Registry();
    server.serve(ok, 1000);
    const bodies = [server.text];
    let ledger = server.serve(ok, 10) + server.serve(failed, 3);
    bodies.push(server.text);
    ledger += server.serve(failed, 4, 4);
    bodies.push(server.text);
    const { served, took } = scrape(bodies);
    expect(served).toMatchObject({ before: 1000, after: 1017, increase: ledger, resets: 0, isExact: true });
    expect(took).toMatchObject({ increase: ledger, isExact: true });
  });

  test.each([
    ['with lower values', 5, 1000],
    ['with higher values than before', 3000, 2],
  ])('if the process is restarted, %s', (_, after, before) => {
    const server = new Registry(500);
    server.serve(ok, before);
    server.serve({ code: '404' }, 9);
    const bodies = [server.text];
    let ledger = server.serve(ok, 20);
    bodies.push(server.text);
    const next = new Registry(1001.2);
    ledger += next.serve(ok, after) + next.serve(failed, 1);
    bodies.push(next.text);
    ledger += next.serve(ok, 30);
    bodies.push(next.text);
    const { served, took, withheld } = scrape(bodies);
    expect(withheld).toBeNull();
    expect(served).toMatchObject({ increase: ledger, resets: 1, vanished: 0, isExact: false });
    expect(took).toMatchObject({ increase: ledger, resets: 1 });
  });

  test('if samples are not readable: each costs itself, and the next scrape has its increase', () => {
    const server = new Registry();
    server.serve(ok, 1000);
    server.serve(failed, 50);
    const bodies = [server.text];
    let ledger = server.serve(ok, 100) + server.serve(failed, 10);
    bodies.push(
      server.text.replace('} 1100\n', '} -NaN\n').replace('served_total{code="500"} 60', 'served_total{code="500 60'),
    );
    ledger += server.serve(ok, 100);
    bodies.push(server.text);
    const result = scrape(bodies);
    expect(result).toMatchObject({ failed: 0, unreadable: 2, withheld: null });
    expect(result.served).toMatchObject({ increase: ledger, resets: 0, vanished: 0, isExact: true });
    expect(result.took).toMatchObject({ increase: ledger, isExact: true });
  });

  test.each([
    ['the value', (text: string) => text.replace('} 50\n', '} NaN\n')],
    ['the labels', (text: string) => text.replace('served_total{code="500"}', 'served_total{code="500}')],
  ])('at least, if %s of a label set is not readable in the first scrape', (_, spoil) => {
    const server = new Registry();
    server.serve(ok, 1000);
    server.serve(failed, 50);
    const bodies = [spoil(server.text)];
    server.serve(failed, 10);
    bodies.push(server.text);
    const ledger = server.serve(failed, 5) + server.serve(ok, 1);
    bodies.push(server.text);
    expect(scrape(bodies).served).toMatchObject({ before: 1000, increase: ledger, isExact: false });
  });

  test('at least, if the last value is not readable', () => {
    const server = new Registry();
    server.serve(ok, 1000);
    const bodies = [server.text];
    const ledger = server.serve(ok, 5);
    bodies.push(server.text);
    server.serve(ok, 5);
    bodies.push(server.text.replace('} 1010\n', '} NaN\n'));
    expect(scrape(bodies, [server.text]).served).toMatchObject({ increase: ledger, isExact: false });
  });

  test('of a machine, whose counters outlive their exporter, and are corrected by small amounts', () => {
    const account = new EndpointAccount({
      url: 'http://127.0.0.1:9/metrics',
      series: ['node_network_receive_bytes_total'],
      requests: null,
      everyMs: ms(1000),
    });
    [
      [1_000_000, 500],
      [1_000_500, 500],
      [1_000_499, 500],
      [1_000_600, 1002],
      [1_000_599, 1002],
    ].forEach(([bytes, start], index) => {
      const text = `node_network_receive_bytes_total ${String(bytes)}\nprocess_start_time_seconds ${String(start)}\n`;
      account.add({ ...pageOf(account, text), serverMs: 1_000_000 + index * 1000 }, index * 1000, true);
    });
    expect(account.publish()).toMatchObject({ withheld: null, metrics: [{ increase: 601, resets: 0 }] });
  });
});
