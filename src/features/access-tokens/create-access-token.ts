import type { CreateAccessTokenBody, NewAccessToken } from '../../../contract/dashboard/access-tokens.ts';
import { TOKEN_VERBS } from '../../../contract/permissions.ts';
import { invalidAt, Refusal } from '../../../contract/problems.ts';
import { isAtLeast } from '../../access/sessions/session-gate.ts';
import { readToken } from '../../store/access-tokens/tokens.ts';
import type { Actor } from '../../store/organizations/audit.ts';
import type { AccessTokensDeps, TokenMaker } from './deps.ts';
import { presentToken } from './present-token.ts';
import { lockMaker, writeToken } from './write-token.ts';

/**
 * Every member creates their own tokens. Owners and admins also create tokens of the organization, and are responsible
 * for these tokens.
 */
export async function createAccessToken(
  deps: AccessTokensDeps,
  orgId: string,
  { kind = 'person', role, verbs, label, ...body }: CreateAccessTokenBody,
  maker: TokenMaker,
  actor: Actor,
): Promise<NewAccessToken> {
  if ((kind === 'organization') !== (role !== undefined)) throw roleFault(kind);
  const text = label.trim();
  if (text === '') throw invalidAt('/label', 'required', 'Say what the token is for.');
  const wanted = {
    label: text,
    kind,
    role: role ?? null,
    agentIds: body.agent_ids ?? null,
    verbs: TOKEN_VERBS.filter((verb) => verbs.includes(verb)),
    days: body.expires_in_days,
    replaces: null,
  };
  return deps.db.transaction(async (tx) => {
    const own = await lockMaker(tx, orgId, maker);
    if (kind === 'organization' && !isAtLeast(own, 'admin'))
      throw new Refusal('role_missing', `A token of the organization needs the role admin; yours is ${own}.`);
    const { id, value } = await writeToken(deps, tx, orgId, wanted, maker, actor);
    return { ...presentToken((await readToken(tx, orgId, id))!), value };
  });
}

const roleFault = (kind: string): Refusal =>
  kind === 'organization'
    ? invalidAt('/role', 'required', 'A token of the organization has a role: member or viewer.')
    : invalidAt('/role', 'not_allowed', 'A token of a person has the role that the person has.');
