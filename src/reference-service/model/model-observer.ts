export type { CallEnd, CallPlace, CallStart, ModelObserver } from '../../model-calls/model-observer.ts';
