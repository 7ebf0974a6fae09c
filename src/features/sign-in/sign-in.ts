import { domainToASCII } from 'node:url';
import type { SignInDomain } from '../../../contract/dashboard/sign-in-provider.ts';
import { DASHBOARD_BASE } from '../../../contract/dashboard/routes.ts';
import type { Oidc, OidcClient } from '../../access/sessions/oidc.ts';
import type { Sessions } from '../../access/sessions/sessions.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { Egress } from '../../kernel/egress.ts';
import type { Key } from '../../kernel/seal.ts';
import type { LookUpTxt } from '../../kernel/txt-records.ts';
import { openCredential, signInCredential } from '../../store/credentials.ts';
import type { Db } from '../../store/db.ts';
import type { ProviderRow } from '../../store/sign-in/providers.ts';
import type { DomainRow } from '../../store/sign-in/domains.ts';

/** The dependencies of the verbs in this folder. */
export type SignInDeps = {
  db: Db;
  sessions: Pick<Sessions, 'hashPassword' | 'openFor'>;
  oidc: Oidc;
  egress: Pick<Egress, 'check'>;
  lookUpTxt: LookUpTxt;
  /** Wraps the organizations' data keys. */
  sealingKey: Key;
  /** The key that seals the data which a browser stores while the person is at the provider. */
  signInKey: Key;
  baseUrl: string;
};

const HOST = /^(?=.{3,253}$)(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)+(?=.*[a-z])(?!-)[a-z0-9-]{2,63}(?<!-)$/;

/**
 * Returns the domain in its canonical spelling, for storing and comparing. Null: the text is not a name that can
 * receive mail.
 */
export function readDomain(text: string): string | null {
  const domain = domainToASCII(text.trim().toLowerCase());
  return HOST.test(domain) ? domain : null;
}

/** Returns the domain of an e-mail address. Null: the text is not an address. */
export function domainOfAddress(email: string): string | null {
  const [, domain] = /^[^\s@]{1,64}@([^\s@]+)$/.exec(email.trim()) ?? [];
  return domain === undefined || email.length > 254 ? null : readDomain(domain);
}

/**
 * Each organization has a separate URL, so that a code for one organization cannot be used for another (RFC 9700, 4.4).
 */
export const callbackUrl = (baseUrl: string, orgId: string): string =>
  `${baseUrl}${DASHBOARD_BASE}/sign-in/organization/${orgId}/callback`;

export async function clientOf({ db, sealingKey }: SignInDeps, row: ProviderRow): Promise<OidcClient> {
  const { orgId, issuer, clientId, sealed } = row;
  const clientSecret = await openCredential(db, sealingKey, signInCredential(orgId, issuer), sealed);
  return { orgId, issuer, clientId, clientSecret };
}

export const recordOf = ({ domain, token }: Pick<DomainRow, 'domain' | 'token'>): SignInDomain['record'] => ({
  name: `_parley.${domain}`,
  type: 'TXT',
  value: `parley-verify=${token}`,
});

export const presentDomain = (row: DomainRow): SignInDomain => ({
  domain: row.domain,
  proven_by: row.provenBy,
  proven_at: row.provenAt && timestamp(row.provenAt),
  record: recordOf(row),
  created_at: timestamp(row.createdAt),
});
