import type { Run } from './wire.ts';

type State = Pick<Run, 'status'>;
const ENDED = new Set<Run['status']>(['completed', 'failed', 'skipped', 'cancelled']);
const BEFORE_ANSWER = new Set<Run['status']>(['queued', 'scheduled', 'running']);

export const hasEnded = ({ status }: State): boolean => ENDED.has(status);
export const hasAnswered = ({ status }: State): boolean => !BEFORE_ANSWER.has(status);
/** A scheduled run has no events yet, so the server ends its stream. */
export const hasStreamedAnswer = (run: State): boolean => hasAnswered(run) || run.status === 'scheduled';
