import { between, type Instant } from '../base/time.ts';
import type { Plan } from '../plan/plan.ts';
import type {
  AttemptRecord,
  GiveUp,
  NotStarted,
  Observer,
  RetryRecord,
  SessionOrigin,
  SessionRecord,
  TurnRecord,
} from '../session/observer.ts';
import { traitsOf } from '../wire/outcome.ts';
