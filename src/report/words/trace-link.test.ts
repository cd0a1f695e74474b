import { expect, test } from 'vitest';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import { viewResults } from '../run/result-outline.ts';
import type { TableBlock } from '../page/page.ts';
import { traceTemplate, traceText } from './trace-link.ts';

const result = resultOf(finishedRun());
const id = '0af7651916cd43dd8448eb211c80319c';

/** The result of a run with this address of traces, whose examples have traces. */
function tracedBy(traceUrl: string | null | undefined): typeof result {
  const { plan } = result.scenario;
  const scenario = { ...result.scenario, plan: { ...plan, target: { ...plan.target, traceUrl } } };
  return { ...result, scenario, examples: result.examples.map((example) => ({ ...example, traceId: id })) };
}

const linksOf = (of: typeof result): (string | undefined)[] =>
  viewResults([of])
    .sections.flatMap(({ blocks }) => blocks)
    .filter((block): block is TableBlock => block.type === 'table')
    .flatMap(({ columns }) => columns.filter(({ head }) => head === 'trace ids').map(({ link }) => link));

test('the trace ids of a page are linked by the template of the run', () => {
  const template = 'https://jaeger.example/trace/{traceId}';
  expect(linksOf(tracedBy(template))).toEqual([template]);
  expect(linksOf(tracedBy(null))).toEqual([undefined]);
});

test.each(['javascript:alert(1)//{traceId}', 'data:text/html,{traceId}', '{traceId}', null, undefined])(
  'a document from elsewhere cannot link to %s',
  (traceUrl) => {
    expect(traceTemplate(tracedBy(traceUrl))).toBeUndefined();
    expect(linksOf(tracedBy(traceUrl))).toEqual([undefined]);
  },
);

test('only the id of a trace is put into an address', () => {
  const template = 'https://jaeger.example/{traceId}?q={traceId}';
  expect(traceText(id, template)).toBe(`https://jaeger.example/${id}?q=${id}`);
  expect(traceText('../../admin', template)).toBe('../../admin');
  expect(traceText(id, undefined)).toBe(id);
});
