import type { AgentDefinition } from '../../../contract/agents.ts';
import type { Access } from '../../access/access.ts';
import type { Egress } from '../../kernel/egress.ts';
import type { Db } from '../../store/db.ts';

/** What the verbs of this folder stand on. */
export type AgentsDeps = {
  db: Db;
  access: Pick<Access, 'change'>;
  /** What the engine says about a definition, and about one of its texts (null: nothing). */
  faults: {
    definition(definition: AgentDefinition): { pointer: string; code: string; detail: string }[];
    template(source: string): string | null;
  };
  /** Says what a call to a tool's address would be refused with. */
  egress: Pick<Egress, 'check'>;
};

/** Agents of one organization. */
export const MAX_AGENTS = 1_000;
