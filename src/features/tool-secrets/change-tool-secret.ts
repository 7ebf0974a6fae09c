import type {
  NewToolSecret,
  RotateToolSecretBody,
  SetToolCredentialsBody,
  ToolSecretRecord,
} from '../../../contract/dashboard/tools.ts';
import { OVERLAP_MS } from '../../../contract/dashboard/keys.ts';
import { type Fault, Refusal } from '../../../contract/problems.ts';
import { SealError } from '../../kernel/seal.ts';
import { newWebhookSecret } from '../../kernel/standard-webhooks.ts';
import type { Queryable } from '../../store/db.ts';
import { lookOf, openToolSecrets, sealToolSecrets, type ToolSecrets } from '../../store/open-tool-secret.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import {
  changeToolSecret,
  deleteToolSecret as deleteRow,
  lockToolSecret,
  type ToolSecretRow,
} from '../../store/tool-secrets.ts';
import type { ToolSecretsDeps } from './deps.ts';
import { presentToolSecret } from './read-tool-secrets.ts';

type Which = { orgId: string; agentId: string; id: string };
type Changes = Pick<ToolSecretsDeps, 'db' | 'sealingKey'>;

/**
 * Creates a new secret for a tool, which only this response shows. During the overlap of a rotation, every call has two
 * signatures. A second rotation within the overlap drops the oldest secret immediately.
 */
export const rotateToolSecret = (
  { db, sealingKey }: Changes,
  which: Which,
  { overlap }: RotateToolSecretBody,
  actor: Actor,
): Promise<NewToolSecret> =>
  db.transaction(async (tx) => {
    const before = await locked(tx, which);
    const { secret: previous, credentials } = await open(tx, sealingKey, before);
    const secret = newWebhookSecret();
    const hasOverlap = overlap !== 'now' && previous !== undefined;
    const secrets = { secret, ...(credentials && { credentials }), ...(hasOverlap && { previous }) };
    const row = await changeToolSecret(tx, before, {
      sealed: await sealToolSecrets(tx, sealingKey, before, secrets),
      credentials: lookOf(credentials ?? {}),
      previousUntil: hasOverlap ? new Date(Date.now() + OVERLAP_MS[overlap]) : null,
    });
    await record(tx, row, { action: 'tool_secret.secret_rotated', actor, facts: { overlap } });
    return { ...presentToolSecret(row), secret };
  });

/** Replaces all credentials of the tool at this origin. */
export const setToolCredentials = (
  { db, sealingKey }: Changes,
  which: Which,
  credentials: SetToolCredentialsBody,
  actor: Actor,
): Promise<ToolSecretRecord> => {
  checkCredentials(credentials);
  return db.transaction(async (tx) => {
    const before = await locked(tx, which);
    const secrets = await openToolSecrets(tx, sealingKey, before).catch(mustRotate);
    const row = await changeToolSecret(tx, before, {
      sealed: await sealToolSecrets(tx, sealingKey, before, { ...secrets, credentials }),
      credentials: lookOf(credentials),
    });
    await record(tx, row, { action: 'tool_secret.credentials_set', actor, facts: row.credentials });
    return presentToolSecret(row);
  });
};

/** After the deletion, calls to the origin are not signed and contain no credentials. */
export const deleteToolSecret = ({ db }: Pick<Changes, 'db'>, which: Which, actor: Actor): Promise<void> =>
  db.transaction(async (tx) => {
    const row = await locked(tx, which);
    await deleteRow(tx, row);
    await record(tx, row, { action: 'tool_secret.deleted', actor });
  });

async function locked(tx: Queryable, { orgId, agentId, id }: Which): Promise<ToolSecretRow> {
  const row = await lockToolSecret(tx, orgId, agentId, id);
  if (!row) throw new Refusal('tool_secret_not_found');
  return row;
}

/** A secret that does not open cannot sign, so its replacement solves the problem. */
const open = (tx: Queryable, key: ToolSecretsDeps['sealingKey'], row: ToolSecretRow): Promise<Partial<ToolSecrets>> =>
  openToolSecrets(tx, key, row).catch((error: unknown) => {
    if (error instanceof SealError) return {};
    throw error;
  });

function mustRotate(error: unknown): never {
  if (!(error instanceof SealError)) throw error;
  throw new Refusal('validation_failed', 'The stored secret cannot be decrypted. Replace it first.');
}

const record = (
  tx: Queryable,
  { orgId, agentId, id, tool, origin }: ToolSecretRow,
  { facts, ...done }: { action: string; actor: Actor; facts?: object },
): Promise<void> =>
  recordAudit(tx, { orgId, ...done, subjectId: id, facts: { agent_id: agentId, tool, origin, ...facts } });

/** Headers that Parley, the body or the connection sets. */
const RESERVED =
  /^(?:host|connection|keep-alive|te|trailer|upgrade|expect|content-.*|transfer-.*|accept.*|user-agent|proxy-.*|webhook-.*|idempotency-key)$/i;

function checkCredentials({ bearer, basic, headers = [] }: SetToolCredentialsBody): void {
  const errors: Fault[] = [];
  const seen = new Set(bearer === undefined && basic === undefined ? [] : ['authorization']);
  if (bearer !== undefined && basic !== undefined) {
    errors.push({ pointer: '/basic', code: 'conflict', detail: 'Give a bearer token or a user name, not both.' });
  }
  for (const [index, { name }] of headers.entries()) {
    const pointer = `/headers/${index}/name`;
    if (RESERVED.test(name)) errors.push({ pointer, code: 'conflict', detail: 'Parley itself sets this header.' });
    else if (seen.has(name.toLowerCase()))
      errors.push({ pointer, code: 'duplicate', detail: 'This header is listed twice.' });
    seen.add(name.toLowerCase());
  }
  if (errors.length > 0) throw new Refusal('validation_failed', undefined, { errors });
}
