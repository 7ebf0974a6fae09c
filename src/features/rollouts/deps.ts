import type { Db } from '../../store/db.ts';

/** The dependencies of the verbs in this folder. */
export type RolloutsDeps = { db: Db };
