import type { AgentDefinition } from '../../../contract/agents.ts';
import type { Access } from '../../access/access.ts';
import type { Egress } from '../../kernel/egress.ts';
import type { Db } from '../../store/db.ts';

/** The dependencies of the verbs in this folder. */
export type AgentsDeps = {
  db: Db;
  access: Pick<Access, 'change'>;
  /** The engine's faults of a definition, of one of its texts, and of the JSON Schema of a tool (null: none). */
  faults: {
    definition(definition: AgentDefinition): { pointer: string; code: string; detail: string }[];
    template(source: string): string | null;
    schema(parameters: Record<string, unknown>): string | null;
  };
  /** The text of a file; refuses one that has none, with the reason. */
  readUpload(orgId: string, name: string, bytes: Uint8Array): Promise<string>;
  /** A sync was queued: wakes the worker of this process. */
  onSource(): void;
  /** Checks whether a call to a tool's URL would be refused. */
  egress: Pick<Egress, 'check'>;
};

/** Maximum agents of one organization. */
export const MAX_AGENTS = 1_000;
