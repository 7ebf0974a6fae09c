import { type ClientToken, MAX_CLIENT_TOKEN_CHARACTERS, type NewClientToken } from '../../../contract/client-tokens.ts';
import { type Fault, invalidAt, Refusal } from '../../../contract/problems.ts';
import type { EndUserInput } from '../../../contract/triggers.ts';
import type { ClientTokens } from '../../access/client-tokens/client-token.ts';
import { readOrigin } from '../../access/client-tokens/read-origin.ts';
import { decideCaller, decideTarget, type Found } from '../../access/decide.ts';
import type { FactLookups } from '../../access/target-facts.ts';
import type { Admission } from '../../access/types.ts';
import { timestamp } from '../../kernel/clock.ts';

export type ClientTokensDeps = { clientTokens: ClientTokens; access: { facts: FactLookups } };

const CALL = { permission: 'triggers', agent: 'agent_id', trigger: 'trigger_id' } as const;

/**
 * A client token has no row. A client token names rights that its key has when it is created, and each of its calls
 * checks the key again.
 */
export async function createClientToken(
  { clientTokens, access }: ClientTokensDeps,
  { caller, from }: Pick<Admission, 'caller' | 'from'>,
  input: NewClientToken,
): Promise<ClientToken> {
  const faults = [...faultsOfPerson(input.end_user), ...faultsOfOrigins(input.origins)];
  if (faults.length > 0) throw new Refusal('validation_failed', undefined, { errors: faults });
  // The key is checked before the records are read, so a key for another agent gets no information about the agent.
  const named = { agent: input.agent_id, trigger: input.trigger_id };
  const refusal =
    decideCaller(caller, CALL, named, from) ?? decideTarget(caller, CALL, await find(access, caller.orgId, input));
  if (refusal !== null) throw refusal;
  const expiresAt = Date.now() + input.expires_in * 1_000;
  const token = clientTokens.issue({
    keyId: caller.keyId,
    orgId: caller.orgId,
    agentId: input.agent_id,
    triggerId: input.trigger_id,
    endUser: input.end_user,
    conversationKey: input.conversation?.key ?? null,
    origins: input.origins,
    expiresAt,
  });
  if (token.length > MAX_CLIENT_TOKEN_CHARACTERS) throw tooLong();
  return { token, expires_at: timestamp(new Date(expiresAt)) };
}

async function find({ facts }: ClientTokensDeps['access'], orgId: string, named: NewClientToken): Promise<Found> {
  const [agent, trigger] = await Promise.all([
    facts.agent(orgId, named.agent_id),
    facts.trigger(orgId, named.trigger_id),
  ]);
  return { agent, trigger, channel: null, campaign: null };
}

/** An anonymous person could not be found again by the next token, so each token names its person. */
function faultsOfPerson({ id, external_id: externalId, email, phone, ...rest }: EndUserInput): Fault[] {
  const known = [externalId, email, phone].filter((name) => name !== undefined);
  if (id !== undefined && known.length + Object.keys(rest).length > 0)
    return [{ pointer: '/end_user/id', code: 'conflict', detail: 'With an id, no other field is allowed.' }];
  if (id !== undefined || known.length > 0) return [];
  return [{ pointer: '/end_user', code: 'required', detail: 'Name the person by id, external_id, email or phone.' }];
}

const faultsOfOrigins = (origins: readonly string[]): Fault[] =>
  origins.flatMap((text, index) =>
    readOrigin(text) === null
      ? [
          {
            pointer: `/origins/${index}`,
            code: 'format',
            detail:
              'Write scheme, host and port as browsers do: https://shop.example or http://localhost:3000, in lower case, without a path, a wildcard or a default port. Other hosts need https.',
          },
        ]
      : [],
  );

const tooLong = (): Refusal =>
  invalidAt(
    '/end_user',
    'too_long',
    `The token would have more than ${MAX_CLIENT_TOKEN_CHARACTERS} characters. Send fewer attributes or origins.`,
  );
