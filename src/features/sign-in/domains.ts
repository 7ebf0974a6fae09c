import { randomBytes } from 'node:crypto';
import type { SignInDomain } from '../../../contract/dashboard/sign-in-provider.ts';
import { invalidAt, Refusal } from '../../../contract/problems.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { Queryable } from '../../store/db.ts';
import { lockMembers } from '../../store/members/members.ts';
import { endSignInSessions } from '../../store/sign-in/providers.ts';
import {
  type DomainRow,
  MAX_SIGN_IN_DOMAINS,
  type ProvenBy,
  countSignInDomains,
  deleteSignInDomain,
  forgetProof,
  insertSignInDomain,
  keepProof,
  readSignInDomain,
} from '../../store/sign-in/domains.ts';
import { type SignInDeps, presentDomain, readDomain, recordOf } from './sign-in.ts';

const TOKEN_BYTES = 20;

/** Claims a domain. A claim has no effect before the domain is proven. */
export async function addSignInDomain(
  { db }: Pick<SignInDeps, 'db'>,
  orgId: string,
  text: string,
  actor: Actor,
): Promise<SignInDomain> {
  const domain = readDomain(text);
  if (domain === null) {
    const detail = 'Write the part behind the @ of your addresses, such as example.com.';
    throw invalidAt('/domain', 'format', detail);
  }
  return db.transaction(async (tx) => {
    await lockMembers(tx, orgId);
    if ((await countSignInDomains(tx, orgId)) >= MAX_SIGN_IN_DOMAINS) {
      throw new Refusal('already_exists', `An organization has at most ${MAX_SIGN_IN_DOMAINS} domains.`);
    }
    if (!(await insertSignInDomain(tx, orgId, domain, randomBytes(TOKEN_BYTES).toString('base64url')))) {
      throw new Refusal('already_exists', 'The organization already has this domain.');
    }
    await recordAudit(tx, { orgId, actor, action: 'sign_in_domain.added', subjectId: domain });
    return presentDomain((await readSignInDomain(tx, orgId, domain))!);
  });
}

/** Looks up the DNS record of a domain. If the record is definitely missing, the earlier proof by this record ends. */
export async function verifySignInDomain(
  { db, lookUpTxt }: SignInDeps,
  orgId: string,
  text: string,
  actor: Actor,
): Promise<SignInDomain> {
  const row = await found(db, orgId, text);
  const { name, value } = recordOf(row);
  const records = await Promise.all([lookUpTxt(name), lookUpTxt(row.domain)]).catch((error: unknown) => {
    const detail = 'The DNS of the domain did not return a reliable answer. Try again in a minute.';
    throw new Refusal('provider_failed', detail, { cause: error });
  });
  if (records.flat().some((record) => record.trim() === value)) return prove(db, orgId, row, 'dns', actor);
  if (row.provenBy === 'dns') {
    await db.transaction(async (tx) => {
      await lockMembers(tx, orgId);
      await forgetProof(tx, orgId, row.domain);
      await endSignInSessions(tx, orgId);
      await recordAudit(tx, { orgId, actor, action: 'sign_in_domain.lost', subjectId: row.domain });
    });
  }
  throw new Refusal('domain_unproven');
}

/** The operator's confirmation replaces the record. */
export async function confirmSignInDomain(
  { db }: Pick<SignInDeps, 'db'>,
  orgId: string,
  text: string,
  actor: Actor,
): Promise<SignInDomain> {
  return prove(db, orgId, await found(db, orgId, text), 'operator', actor);
}

export async function removeSignInDomain(
  { db }: Pick<SignInDeps, 'db'>,
  orgId: string,
  text: string,
  actor: Actor,
): Promise<void> {
  const domain = readDomain(text) ?? '';
  await db.transaction(async (tx) => {
    await lockMembers(tx, orgId);
    if (!(await deleteSignInDomain(tx, orgId, domain))) throw new Refusal('sign_in_domain_not_found');
    await endSignInSessions(tx, orgId);
    await recordAudit(tx, { orgId, actor, action: 'sign_in_domain.removed', subjectId: domain });
  });
}

async function found(db: Queryable, orgId: string, text: string): Promise<DomainRow> {
  const row = await readSignInDomain(db, orgId, readDomain(text) ?? '');
  if (!row) throw new Refusal('sign_in_domain_not_found');
  return row;
}

/** If two organizations can prove the same domain, the first organization has it until it removes the domain. */
const prove = (db: SignInDeps['db'], orgId: string, { domain }: DomainRow, by: ProvenBy, actor: Actor) =>
  db.transaction(async (tx): Promise<SignInDomain> => {
    await lockMembers(tx, orgId);
    const row = await readSignInDomain(tx, orgId, domain);
    if (!row) throw new Refusal('sign_in_domain_not_found');
    if (!(await keepProof(tx, orgId, domain, by))) throw new Refusal('domain_taken');
    if (row.provenBy !== by) {
      const facts = { by };
      await recordAudit(tx, { orgId, actor, action: 'sign_in_domain.proven', subjectId: domain, facts });
    }
    return presentDomain((await readSignInDomain(tx, orgId, domain))!);
  });
