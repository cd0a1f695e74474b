import type { Problem } from '../../model-api/model-api.ts';

/** The body of an error, as OpenAI's APIs word it. */
export function openaiError(problem: Problem): string {
  return JSON.stringify({ error: openaiErrorOf(problem) });
}

/** What is in it. */
export function openaiErrorOf({ status, message, param, code }: Problem) {
  const { type, code: usual } = kindOf(status);
  return { message, type: code === 'insufficient_quota' ? code : type, param: param ?? null, code: code ?? usual };
}

function kindOf(status: number): { type: string; code: string | null } {
  switch (status) {
    case 401:
      return { type: 'invalid_request_error', code: 'invalid_api_key' };
    case 403:
      return { type: 'permission_error', code: 'insufficient_permissions' };
    case 429:
      return { type: 'requests', code: 'rate_limit_exceeded' };
    default:
      return { type: status >= 500 ? 'server_error' : 'invalid_request_error', code: null };
  }
}
