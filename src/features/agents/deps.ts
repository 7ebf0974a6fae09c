import type { Access } from '../../access/access.ts';
import type { Answering } from '../../answering/open-answering.ts';
import type { ReadFiles } from '../../engine/documents/read-files.ts';
import type { Egress } from '../../kernel/egress.ts';
import type { Key } from '../../kernel/seal.ts';
import type { Db } from '../../store/db.ts';

/** The dependencies of the verbs in this folder. */
export type AgentsDeps = {
  db: Db;
  access: Pick<Access, 'change'>;
  /** The engine with the accounts, tools and documents of organizations. */
  answering: Pick<Answering, 'loadAgent' | 'findProvider' | 'callTool'>;
  /** The thread that reads files of strangers. */
  readFiles: Pick<ReadFiles, 'read'>;
  /** This function is called after a sync was queued. */
  wake: { sources(): void };
  /** Checks whether a call to a tool's URL would be refused, and calls MCP servers. */
  egress: Pick<Egress, 'check' | 'fetchWith'>;
  /** Wraps the organizations' data keys. */
  sealingKey: Key;
};

/** Maximum number of agents of one organization. */
export const MAX_AGENTS = 1_000;
