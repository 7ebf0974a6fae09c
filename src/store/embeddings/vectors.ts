import { sql } from 'drizzle-orm';
import type pg from 'pg';
import type { Queryable } from '../db.ts';
import type { ClaimedDocument } from '../queue/document-queue.ts';

export type StoredVector = { hash: Buffer; vector: Buffer };

const of = ({ org_id: orgId, document_id: id }: ClaimedDocument) => sql`org_id = ${orgId} AND document_id = ${id}`;

/** Returns the hashes that the document already has with the right number of dimensions. */
export async function readKnownHashes(db: Queryable, one: ClaimedDocument, dimensions: number): Promise<Set<string>> {
  const found = await db.execute<{ hash: string }>(sql`SELECT encode(hash, 'hex') AS hash FROM passage_embedding
    WHERE ${of(one)} AND octet_length(vector) = ${dimensions}`);
  return new Set(found.rows.map(({ hash }) => hash));
}

/** Copies vectors of the same passages from other documents of the organization. */
export async function reuseVectors(
  tx: Queryable,
  one: ClaimedDocument,
  hashes: readonly string[],
  dimensions: number,
): Promise<void> {
  if (hashes.length === 0) return;
  await tx.execute(sql`INSERT INTO passage_embedding (org_id, document_id, hash, vector)
    SELECT DISTINCT ON (p.hash) p.org_id, ${one.document_id}, p.hash, p.vector
    FROM unnest(${sql.param([...hashes])}::text[]) h (hex)
    JOIN passage_embedding p ON p.org_id = ${one.org_id} AND p.hash = decode(h.hex, 'hex')
    WHERE octet_length(p.vector) = ${dimensions}
    ON CONFLICT (org_id, document_id, hash) DO UPDATE SET vector = excluded.vector`);
}

export async function writeVectors(tx: Queryable, one: ClaimedDocument, rows: readonly StoredVector[]): Promise<void> {
  await tx.execute(sql`INSERT INTO passage_embedding (org_id, document_id, hash, vector)
    SELECT ${one.org_id}, ${one.document_id}, v.hash, v.vector
    FROM unnest(${sql.param(rows.map(({ hash }) => hash))}::bytea[], ${sql.param(rows.map(({ vector }) => vector))}::bytea[])
      v (hash, vector)
    ON CONFLICT (org_id, document_id, hash) DO UPDATE SET vector = excluded.vector`);
}

/**
 * The vectors follow each other without their lengths, because all vectors have the same number of bytes. The next
 * vectors begin after `last`.
 */
export type VectorPiece = { hashes: Buffer; vectors: Buffer; last: VectorPlace };
export type VectorPlace = { document: string; hash: string };

/**
 * One response of the database has at most about this many bytes. A response is small, because the event loop parses
 * it.
 */
const PIECE_BYTES = 1024 * 1024;

/** The next vectors of an agent. Null: the agent has no further vectors. */
export async function readVectorPiece(
  pool: pg.Pool,
  orgId: string,
  agentId: string,
  dimensions: number,
  after: VectorPlace | null,
): Promise<VectorPiece | null> {
  type Row = { hashes: Buffer | null; vectors: Buffer; document: string; hash: string };
  const found = await pool.query<Row>({
    name: 'read-vector-piece',
    text: `WITH docs AS (
        SELECT document_id FROM document_embedding WHERE org_id = $1 AND agent_id = $2 AND document_id >= $4
          AND embedded > 0 ORDER BY document_id LIMIT 200
      ), piece AS (
        SELECT d.document_id, p.hash, p.vector FROM docs d JOIN LATERAL (
          SELECT hash, vector FROM passage_embedding WHERE org_id = $1 AND document_id = d.document_id
            AND (document_id > $4 OR hash > decode($5, 'hex')) AND octet_length(vector) = $3 ORDER BY hash LIMIT $6) p
        ON true ORDER BY d.document_id, p.hash LIMIT $6
      )
      SELECT string_agg(hash, ''::bytea ORDER BY document_id, hash) AS hashes,
        string_agg(vector, ''::bytea ORDER BY document_id, hash) AS vectors,
        (array_agg(document_id ORDER BY document_id DESC, hash DESC))[1] AS document,
        (array_agg(encode(hash, 'hex') ORDER BY document_id DESC, hash DESC))[1] AS hash FROM piece`,
    values: [orgId, agentId, dimensions, after?.document ?? '', after?.hash ?? '', Math.ceil(PIECE_BYTES / dimensions)],
  });
  const { hashes, vectors, document, hash } = found.rows[0]!;
  return hashes === null ? null : { hashes, vectors, last: { document, hash } };
}
