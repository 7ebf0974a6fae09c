import type { Tool } from '../../../contract/agents.ts';
import type { SetToolCredentialsBody } from '../../../contract/dashboard/tools.ts';
import type { ToolContext } from '../../../contract/tools.ts';
import { secretsOf, valueWithoutSecrets, withoutSecrets } from '../../kernel/egress/sent-secrets.ts';
import { type Key, SealError } from '../../kernel/seal.ts';
import type { Db } from '../../store/db.ts';
import { openToolSecrets } from '../../store/open-tool-secret.ts';
import { readToolSecrets } from '../../store/tool-secrets.ts';

/** What proves to the receiver that we call. */
export type Authority = {
  /** Each signs. None: the tool has no secret, and its calls are not signed. */
  signing: string[];
  headers: Record<string, string>;
  /** Removed from the answer, if the receiver repeats them. */
  hidden: string[];
};

export type AuthorityDeps = { db: Db; sealingKey: Key };
type Whose = Pick<ToolContext, 'organization_id' | 'agent_id'>;

/** What must not appear in an answer of this receiver. */
export const secretsIn = (url: string, { headers, hidden }: Authority): string[] =>
  secretsOf({ url: new URL(url), headers: Object.entries(headers), others: hidden });

/** All tools of an MCP server have one secret: they are one receiver. */
const secretNameOf = ({ name, mcp }: Pick<Tool, 'name' | 'mcp'>): string => (mcp ? `mcp:${mcp.server}` : name);

/**
 * The secrets of exactly this tool at exactly this origin. If there are only some for other origins, nothing is sent:
 * the address has changed, and calls that were signed must not silently become calls that are not.
 */
export async function findAuthority(
  { db, sealingKey }: AuthorityDeps,
  tool: Pick<Tool, 'name' | 'mcp' | 'url'>,
  whose: Whose,
): Promise<Authority | { fault: string }> {
  const rows = await readToolSecrets(db, whose.organization_id, whose.agent_id, secretNameOf(tool));
  if (rows.length === 0) return { signing: [], headers: {}, hidden: [] };
  const { origin } = new URL(tool.url);
  const row = rows.find((one) => one.origin === origin);
  if (!row) return { fault: 'The secret of this tool belongs to another address, so the tool was not called.' };
  try {
    const { secret, previous, credentials = {} } = await openToolSecrets(db, sealingKey, row);
    const isOverlap = row.previousUntil !== null && row.previousUntil.getTime() > Date.now();
    return { signing: isOverlap && previous ? [secret, previous] : [secret], ...credentialHeaders(credentials) };
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return { fault: 'The stored secret of this tool cannot be opened, so the tool was not called.' };
  }
}

function credentialHeaders({ bearer, basic, headers = [] }: SetToolCredentialsBody): Omit<Authority, 'signing'> {
  const all = Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]));
  if (bearer !== undefined) all['authorization'] = `Bearer ${bearer}`;
  if (basic !== undefined) {
    all['authorization'] = `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`;
  }
  return { headers: all, hidden: headers.map(({ value }) => value) };
}

/**
 * The answer of a tool: JSON if it is JSON, otherwise text. Secrets are removed after parsing, because JSON can spell a
 * secret with escapes. The model, the trace and the try read this value only.
 */
export function readAnswer(text: string, secrets: readonly string[]): unknown {
  try {
    return valueWithoutSecrets(JSON.parse(text) as unknown, secrets);
  } catch {
    return withoutSecrets(text, secrets);
  }
}
