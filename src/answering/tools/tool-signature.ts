import type { Tool } from '../../../contract/agents.ts';
import type { SetToolCredentialsBody } from '../../../contract/dashboard/tools.ts';
import type { ToolContext } from '../../../contract/tools.ts';
import { secretsOf, valueWithoutSecrets, withoutSecrets } from '../../kernel/egress/sent-secrets.ts';
import { isDeeperThan } from '../../kernel/nesting.ts';
import { type Key, SealError } from '../../kernel/seal.ts';
import type { Db } from '../../store/db.ts';
import { openToolSecrets } from '../../store/open-tool-secret.ts';
import { readToolSecrets } from '../../store/tool-secrets.ts';

/**
 * With the signature, the receiver of a tool call verifies that Parley made the call. The call is signed as a Standard
 * Webhook (signWebhook in src/kernel/standard-webhooks.ts), whose ID is the `idempotency-key` of the call. During the
 * overlap of a rotation, the previous secret signs too. A tool without a secret gets unsigned calls. Stored credentials
 * of the tool are added to the headers and are not part of the signature.
 */
export type Authority = {
  /** Each secret adds a signature. Empty: the tool has no secret, so its calls are not signed. */
  signing: string[];
  headers: Record<string, string>;
  /** Texts that are removed from the response if the receiver repeats them. */
  hidden: string[];
};

export type AuthorityDeps = { db: Db; sealingKey: Key };
type Whose = Pick<ToolContext, 'organization_id' | 'agent_id'>;

/** The secrets that must not appear in a response of the receiver. */
export const secretsIn = (url: string, { headers, hidden }: Authority): string[] =>
  secretsOf({ url: new URL(url), headers: Object.entries(headers), others: hidden });

/** All tools of an MCP server share one secret, because they have the same receiver. */
const secretNameOf = ({ name, mcp }: Pick<Tool, 'name' | 'mcp'>): string => (mcp ? `mcp:${mcp.server}` : name);

/**
 * Finds the secrets for exactly the given tool and origin. If secrets exist only for other origins, the call is
 * refused, because signed calls must not silently become unsigned calls after a change of the address.
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

/** A value with more levels cannot be written as JSON again, because that exhausts the stack. */
const MAX_ANSWER_DEPTH = 100;

/**
 * Reads the response of a tool, which is parsed as JSON if possible and otherwise stays text. Secrets are removed after
 * parsing, because JSON can write a secret with escapes. Only the value without secrets reaches the model, the trace
 * and the try.
 */
export function readAnswer(text: string, secrets: readonly string[]): unknown {
  try {
    const answer: unknown = JSON.parse(text);
    if (!isDeeperThan(MAX_ANSWER_DEPTH, answer)) return valueWithoutSecrets(answer, secrets);
  } catch {
    // The response is not JSON.
  }
  return withoutSecrets(text, secrets);
}
