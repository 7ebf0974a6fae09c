import type { CallTool } from '../engine/providers/run-tool.ts';
import type { BlobStore } from '../kernel/blob-store.ts';
import type { Egress } from '../kernel/egress.ts';
import type { Logger } from '../kernel/log.ts';
import type { Key } from '../kernel/seal.ts';
import { readNextDocument } from '../store/agents/read-for-turns.ts';
import type { Db } from '../store/db.ts';
import { readVectorPiece } from '../store/embeddings/vectors.ts';
import { createKnowledge } from './knowledge/ask-knowledge.ts';
import { createAgentLoader, type LoadAgent } from './load-agent.ts';
import { createMcpWatch } from './mcp/mcp-watch.ts';
import type { ConnectionDeps } from './models/call-connection.ts';
import { createEmbedQuestion } from './models/call-embeddings.ts';
import { createFindProvider, type FindProvider } from './models/find-provider.ts';
import { createImages } from './open-images.ts';
import { createCallTool } from './tools/call-tool.ts';

/** The parts that a turn of an agent needs. The worker and the tries in the dashboard use the same parts. */
export type Answering = {
  loadAgent: LoadAgent;
  findProvider: FindProvider;
  callTool: CallTool;
  /** Makes calls of connected providers outside turns, such as embeddings and transcripts. */
  connections: ConnectionDeps;
  /** Ends the thread that searches documents. */
  stop(): Promise<void>;
};

type Deps = {
  db: Db;
  egress: Egress;
  sealingKey: Key;
  /** The key that signs the reply tokens of turns. */
  turnKey: Key;
  baseUrl: string;
  log: Logger;
  onUse: NonNullable<ConnectionDeps['onUse']>;
  blobs: BlobStore | null;
};

export function openAnswering({ db, egress, sealingKey, turnKey, baseUrl, log, onUse, blobs }: Deps): Answering {
  const connections: ConnectionDeps = { db, egress, sealingKey, log, onUse };
  const callTool = createCallTool({ db, egress, sealingKey, log });
  const findChangedTools = createMcpWatch({ db, egress, sealingKey });
  const findProvider = createFindProvider({ ...connections, egress, turnKey, baseUrl, callTool, findChangedTools });
  const knowledge = createKnowledge({
    log,
    readDocument: (...which) => readNextDocument(db.$client, ...which),
    readVectors: (...which) => readVectorPiece(db.$client, ...which),
  });
  const images = createImages({ pool: db.$client, blobs });
  const loadAgent = createAgentLoader(db, findProvider, knowledge, createEmbedQuestion(connections), images);
  return { loadAgent, findProvider, callTool, connections, stop: () => knowledge.stop() };
}
