import type { KnowledgeIndex } from '../../engine/knowledge/build-knowledge.ts';
import type { VectorTable } from '../../engine/knowledge/vector-table.ts';
import type { DocumentsOf } from './messages.ts';

/** The index of one edition of an agent's documents, with the vectors that a question needed. */
export type CachedIndex = {
  edition: string;
  index: KnowledgeIndex;
  vectors?: { edition: string; table: VectorTable };
};

export const bytesOf = ({ index, vectors }: Pick<CachedIndex, 'index' | 'vectors'>): number =>
  index.bytes + (vectors?.table.bytes ?? 0);

export const nameOf = ({ orgId, agentId }: DocumentsOf): string => `${orgId} ${agentId}`;
