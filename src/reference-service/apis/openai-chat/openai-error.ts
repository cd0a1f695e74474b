import type { Problem } from '../../model-api/model-api.ts';

/** Formats an error as OpenAI's APIs do. */
export function openaiError(problem: Problem): string {
  return JSON.stringify({ error: openaiErrorOf(problem) });
}

const kinds: Readonly<Record<number, { type: string; code: string }>> = {
  401: { type: 'invalid_request_error', code: 'invalid_api_key' },
  403: { type: 'permission_error', code: 'insufficient_permissions' },
  429: { type: 'requests', code: 'rate_limit_exceeded' },
};

export function openaiErrorOf({ status, message, param, code }: Problem) {
  const kind = kinds[status] ?? { type: status >= 500 ? 'server_error' : 'invalid_request_error', code: null };
  const type = code === 'insufficient_quota' ? code : kind.type;
  return { message, type, param: param ?? null, code: code ?? kind.code };
}
