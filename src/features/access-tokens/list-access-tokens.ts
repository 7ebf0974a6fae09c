import type { AccessTokenRecord } from '../../../contract/dashboard/access-tokens.ts';
import type { Role, TokenKind } from '../../../contract/permissions.ts';
import { isAtLeast } from '../../access/sessions/session-gate.ts';
import { listTokens } from '../../store/access-tokens/tokens.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import type { AccessTokensDeps } from './deps.ts';
import { presentToken } from './present-token.ts';

/** Members list their own tokens. Owners and admins see all tokens, so that they notice the tokens of other people. */
export async function listAccessTokens(
  { db }: Pick<AccessTokensDeps, 'db'>,
  orgId: string,
  { kind, state = 'active' }: { kind?: TokenKind | undefined; state?: 'active' | 'ended' | 'all' | undefined },
  { userId, role }: { userId: string; role: Role },
  page: PageRequest,
): Promise<PageOf<AccessTokenRecord>> {
  const filter = { userId: isAtLeast(role, 'admin') ? null : userId, kind, state };
  const { rows, hasMore } = await listTokens(db, orgId, filter, page);
  return { rows: rows.map(presentToken), hasMore };
}
