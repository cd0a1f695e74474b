import { newId } from '../../model-api/new-id.ts';
import type { Problem } from '../../model-api/problem.ts';

/** The body of an error, as Anthropic's API words it; the data of an error event is the same. */
export function anthropicError(problem: Problem): string {
  const { message, type } = wordingOf(problem);
  return JSON.stringify({ type: 'error', error: { type, message }, request_id: newId('req_') });
}

const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

function wordingOf({ status, message, code, model }: Problem): { type: string; message: string } {
  if (code === 'model_not_found') return { type: 'not_found_error', message: `model: ${model ?? ''}` };
  if (code === 'insufficient_quota') return { type: 'billing_error', message };
  return { type: types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error'), message };
}
