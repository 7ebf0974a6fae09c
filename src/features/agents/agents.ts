import type { Access } from '../../access/access.ts';
import type { Db } from '../../store/db.ts';

/** What the verbs of this folder stand on. */
export type AgentsDeps = {
  db: Db;
  access: Pick<Access, 'change'>;
  /** What the engine says about parts of a definition; a sentence, or null when there is nothing to say. */
  faults: { pattern(source: string): string | null; template(source: string): string | null };
};

/** Agents of one organization. */
export const MAX_AGENTS = 1_000;
