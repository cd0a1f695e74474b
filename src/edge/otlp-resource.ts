import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  type Resource,
} from '@opentelemetry/resources';
import type { JournalHeader } from '../result/journal/journal.ts';

/** A run as exports name it. */
export interface NamedRun {
  plan: Pick<JournalHeader['plan'], 'name' | 'hash' | 'seed'>;
  run: Pick<JournalHeader['run'], 'id' | 'label' | 'toolVersion'>;
}

/**
 * Returns the owner of figures and spans: a run is an instance of the service `chat-load`. `OTEL_SERVICE_NAME` and
 * `OTEL_RESOURCE_ATTRIBUTES` win.
 */
export function resourceOf({ run, plan }: NamedRun): Resource {
  const own = resourceFromAttributes({
    'service.name': 'chat-load',
    'service.version': run.toolVersion,
    'service.instance.id': run.id,
    'chat_load.scenario.name': plan.name,
    'chat_load.scenario.hash': plan.hash,
    'chat_load.scenario.seed': plan.seed,
    ...(run.label === null ? {} : { 'chat_load.run.label': run.label }),
  });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}
