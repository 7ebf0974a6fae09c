import type {
  SetSignInProviderBody,
  SignInProviderLook,
  SignInSettings,
} from '../../../contract/dashboard/sign-in-provider.ts';
import { invalidAt, Refusal } from '../../../contract/problems.ts';
import { timestamp } from '../../kernel/clock.ts';
import { checkAddress } from '../../kernel/check-address.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { sealCredential, signInCredential } from '../../store/credentials.ts';
import { lockMembers } from '../../store/members/members.ts';
import {
  type ProviderRow,
  deleteSignInProvider,
  endSignInSessions,
  readSignInProvider,
  writeSignInProvider,
} from '../../store/sign-in/providers.ts';
import { deleteLinks } from '../../store/sign-in/links.ts';
import { listSignInDomains } from '../../store/sign-in/domains.ts';
import { type SignInDeps, callbackUrl, presentDomain } from './sign-in.ts';

export async function readSignInSettings(
  { db, baseUrl }: Pick<SignInDeps, 'db' | 'baseUrl'>,
  orgId: string,
): Promise<SignInSettings> {
  const row = await readSignInProvider(db, orgId);
  return {
    provider: row && presentProvider(row),
    domains: (await listSignInDomains(db, orgId)).map(presentDomain),
    callback_url: callbackUrl(baseUrl, orgId),
  };
}

/** Absent fields do not change. The client secret belongs to its issuer, so another issuer needs another secret. */
export async function setSignInProvider(
  deps: SignInDeps,
  orgId: string,
  body: SetSignInProviderBody,
  actor: Actor,
): Promise<SignInSettings> {
  if (body.issuer !== undefined) await checkIssuer(deps, body.issuer);
  await deps.db.transaction(async (tx) => {
    // No sign-in may mix old and new settings.
    await lockMembers(tx, orgId);
    const before = await readSignInProvider(tx, orgId);
    const isNewIssuer = body.issuer !== undefined && body.issuer !== before?.issuer;
    const issuer = body.issuer ?? before?.issuer;
    const clientId = body.client_id ?? (isNewIssuer ? undefined : before?.clientId);
    const secret = body.client_secret;
    if (issuer === undefined) throw missing('issuer');
    if (clientId === undefined) throw missing('client_id');
    if (secret === undefined && (isNewIssuer || !before)) throw missing('client_secret');
    const sealed =
      secret === undefined
        ? before!.sealed
        : await sealCredential(tx, deps.sealingKey, signInCredential(orgId, issuer), secret);
    const row = await writeSignInProvider(tx, {
      orgId,
      issuer,
      clientId,
      sealed,
      defaultRole: body.default_role ?? before?.defaultRole ?? 'member',
      enabled: body.enabled ?? before?.enabled ?? true,
    });
    const isAnother = isNewIssuer || clientId !== before?.clientId;
    // Another issuer or client may use the same subject for another person.
    if (isAnother) await deleteLinks(tx, orgId);
    if (isAnother || !row.enabled) await endSignInSessions(tx, orgId);
    const { default_role, enabled } = presentProvider(row);
    const facts = { issuer, client_id: clientId, default_role, enabled, secret_changed: secret !== undefined };
    await recordAudit(tx, { orgId, actor, action: 'sign_in_provider.set', subjectId: orgId, facts });
  });
  return readSignInSettings(deps, orgId);
}

export async function removeSignInProvider({ db }: SignInDeps, orgId: string, actor: Actor): Promise<void> {
  await db.transaction(async (tx) => {
    await lockMembers(tx, orgId);
    if (!(await deleteSignInProvider(tx, orgId)))
      throw new Refusal('sign_in_provider_not_found', 'No provider is set.');
    await endSignInSessions(tx, orgId);
    await recordAudit(tx, { orgId, actor, action: 'sign_in_provider.removed', subjectId: orgId });
  });
}

/** Calls the provider to test the settings, and stores nothing. */
export async function checkSignInProvider(deps: SignInDeps, issuer: string): Promise<SignInProviderLook> {
  await checkIssuer(deps, issuer);
  const found = await deps.oidc.look(issuer);
  return {
    issuer: found.issuer,
    authorization_endpoint: found.authorizationEndpoint,
    token_endpoint: found.tokenEndpoint,
    jwks_uri: found.jwksUri,
    scopes: found.scopes,
  };
}

async function checkIssuer({ egress }: SignInDeps, issuer: string): Promise<void> {
  const { search, hash } = new URL(issuer);
  if (`${search}${hash}` === '') return checkAddress(egress, '/issuer', issuer);
  const detail = 'An issuer must not have a query or a fragment.';
  throw invalidAt('/issuer', 'address_refused', detail);
}

const presentProvider = (row: ProviderRow): NonNullable<SignInSettings['provider']> => ({
  issuer: row.issuer,
  client_id: row.clientId,
  default_role: row.defaultRole as Exclude<ProviderRow['defaultRole'], 'owner'>,
  enabled: row.enabled,
  updated_at: timestamp(row.updatedAt),
});

const missing = (field: 'issuer' | 'client_id' | 'client_secret'): Refusal =>
  invalidAt(`/${field}`, 'required', 'A new issuer needs its own client id and secret.');
