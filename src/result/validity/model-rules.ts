import { countOf, formatCount, formatShare } from '../../base/format.ts';
import { isAttributed } from '../sections/model.ts';
import { degradedIf, invalidIf, lateness, type ValidityRule } from './rule.ts';

const allowedLateness = { p50: 5, p99: 50, text: '(acceptable: p50 5 ms, p99 50 ms)' };

/** Rules for the model service of a run, whose faults are never those of the target. */
export const modelRules: readonly ValidityRule[] = [
  {
    code: 'model_lost',
    remedy: 'Run again: turns after the loss of the model service failed for lack of it.',
    find: ({ stop }) =>
      invalidIf(stop?.kind === 'model_lost', `the model service of the run was lost: ${stop?.reason ?? ''}`),
  },
  {
    code: 'model_unattributed',
    remedy:
      'Let the agent forward the trace of each request to its model calls: by OpenTelemetry instrumentation, which copies traceparent (in Node.js also for fetch: @opentelemetry/instrumentation-undici); by copying one header (model.header); or, if it cannot forward any, by the text of the message (model.match).',
    find: ({ model }) => {
      const share = model?.attributedShare ?? 1;
      const { unattributed = 0, total = 0 } = model?.calls ?? {};
      const message = `${formatCount(unattributed)} of ${formatCount(total)} model calls (${formatShare(1 - share)}) belong to no known turn: figures of model calls by turn and by attempt are not known; no other figure is affected`;
      return degradedIf(!isAttributed(total - unattributed, total), message);
    },
  },
  {
    code: 'model_late',
    remedy: 'Lower the rate, or run on a machine with more idle cores: the model service uses one.',
    find: ({ latency, model }) => {
      const summary = latency['model.lateness'];
      const found = summary && lateness('the model service wrote', summary, allowedLateness);
      if (found !== undefined && found.excess > 1) return degradedIf(true, found.message);
      const seconds = model?.saturatedSeconds ?? 0;
      return degradedIf(
        seconds > 0,
        `the model service used up a core: 90 % or more of it for two seconds, at the end of ${countOf(seconds, 'second')}`,
      );
    },
  },
];
