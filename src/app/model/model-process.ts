// Main module of the process of the model service: the service, and the count of its calls.
import { machineClock } from '../../edge/clock.ts';
import { openParentCalls } from '../../reference-service/calls.ts';
import { ModelHost } from './model-host.ts';
import type { ModelOwnerCalls } from './model-messages.ts';

const { call, answer } = openParentCalls<ModelOwnerCalls>();
answer(
  new ModelHost(machineClock, {
    interval: (given) => void call('interval', given),
    closed: (untilMs) => void call('closed', untilMs),
    costReached: (nanos) => void call('costReached', nanos),
    unused: (turns) => void call('unused', turns),
    lostSpans: (warning) => void call('lostSpans', warning),
  }).calls,
);
process.on('disconnect', () => process.exit());
