import { classOfStatus, type ServiceClass } from '../books/service-class.ts';

/** Why there is no reply. */
export interface Problem {
  status: number;
  message: string;
  /** The field that is wrong. */
  param?: string;
  /** The model that does not exist. */
  model?: string;
  /** What programs know it by. */
  code?: ProblemCode;
}

type ProblemCode = 'model_not_found' | 'previous_response_not_found' | 'insufficient_quota';

export function isProblem(read: object): read is Problem {
  return 'status' in read;
}

/** By status, but that an unknown model is an unknown agent, and that waiting brings no quota back. */
export function classOfProblem({ status, code }: Problem): ServiceClass {
  if (code === 'model_not_found') return 'agent_not_found';
  if (code === 'insufficient_quota') return 'forbidden';
  return classOfStatus(status);
}
