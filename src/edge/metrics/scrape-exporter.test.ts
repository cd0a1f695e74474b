import { expect, onTestFinished, test } from 'vitest';
import { sendRaw } from '../../../test/support/hostile-requests.ts';
import { exportedRun } from '../../../test/support/exported-metrics.ts';
import { openScrapeExporter } from './scrape-exporter.ts';

const { run } = exportedRun();
const never = new AbortController().signal;

async function open(lingerMs: number) {
  const notes: string[] = [];
  const note = (text: string): unknown => notes.push(text);
  const exporter = await openScrapeExporter({ host: '127.0.0.1', port: 0, lingerMs, note });
  onTestFinished(() => exporter.close());
  const scrape = async () => (await fetch(exporter.url)).text();
  return { ...exporter, scrape, notes };
}

test('the end of a run waits until its last figures have been scraped', async () => {
  const { observe, scrape, notes } = await open(600_000);
  const { end } = observe(run);
  await scrape();
  let isOver = false;
  const ended = end(never).finally(() => (isOver = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  await scrape();
  expect(await ended).toEqual([]);
  expect(notes).toEqual(['The run is over: waiting for its last figures to be scraped, 600 s at most.']);
});

test('a signal ends that wait, and missing figures are a warning', async () => {
  const { observe, scrape } = await open(600_000);
  const { end } = observe(run);
  await scrape();
  const hurry = new AbortController();
  const ended = end(hurry.signal);
  hurry.abort();
  expect(await ended).toMatchObject([{ code: 'metrics_not_scraped' }]);
  expect((await ended)[0]?.message).toMatch(/last scraped \d+\.\d s before its end/);
});

test('without a wait, a scrape before the end is not the last one', async () => {
  const { observe, scrape } = await open(0);
  const { end } = observe(run);
  await scrape();
  expect(await end(never)).toMatchObject([{ code: 'metrics_not_scraped' }]);
});

test('the wait is over after its time', async () => {
  const { observe } = await open(20);
  const [warning] = await observe(run).end(never);
  expect(warning?.message).toContain('never scraped');
});

test('the latest run is scraped, and none before the first', async () => {
  const { observe, scrape } = await open(0);
  expect(await scrape()).toBe('# no run has started yet\n');
  observe(run);
  expect(await scrape()).toContain('service_instance_id="run-1"');
  observe({ ...run, run: { ...run.run, id: 'run-2' } });
  expect(await scrape()).toContain('service_instance_id="run-2"');
});

test('every metric is listed once, and so is the owner of the metrics', async () => {
  const { observe, scrape } = await open(0);
  observe(run);
  const kinds = [...(await scrape()).matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(
    ([, name, kind]) => `${name ?? ''} ${kind ?? ''}`,
  );
  expect(new Set(kinds).size).toBe(kinds.length);
  expect(kinds).toEqual(
    expect.arrayContaining([
      'target_info gauge',
      'chat_load_session_active gauge',
      'chat_load_turn_sent_total counter',
      'gen_ai_client_operation_duration_seconds histogram',
    ]),
  );
});

test('no other path is served at that address', async () => {
  const { url } = await open(0);
  const statuses = [
    (await fetch(url.replace('/metrics', '/'))).status,
    (await fetch(url, { method: 'POST', body: '{}' })).status,
  ];
  expect(statuses).toEqual([404, 405]);
});

test('requests whose bodies never end block no connection, and honest scrapes are answered', async () => {
  const { url, scrape } = await open(0);
  const port = Number(new URL(url).port);
  for (const method of ['POST', 'GET']) {
    const head = `${method} /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\nx`;
    const answers = await Promise.all(Array.from({ length: 200 }, () => sendRaw({ port }, head)));
    expect(new Set(answers.map((answer) => /\r\nconnection: (\S+)/i.exec(answer)?.[1]))).toEqual(new Set(['close']));
    expect(await scrape()).toContain('no run has started yet');
  }
});

test('the page of another site learns nothing, whatever it omits', async () => {
  const { url } = await open(0);
  for (const site of ['cross-site', 'same-site', 'same-origin', 'none']) {
    const { status, headers } = await fetch(url, { headers: { 'Sec-Fetch-Site': site } });
    expect([site, status]).toEqual([site, site.endsWith('-site') ? 421 : 200]);
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin');
  }
});

test('figures that cannot be read are an error of the scrape alone', async () => {
  const { observe, url } = await open(0);
  observe({
    ...run,
    totals: () => {
      throw new Error('no totals');
    },
  });
  expect((await fetch(url)).status).toBe(500);
});
