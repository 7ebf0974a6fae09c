import type { CreateKeyBody } from '../../../contract/dashboard/keys.ts';
import type { KeyLimits } from '../../../contract/key-limits.ts';
import { type Fault, Refusal } from '../../../contract/problems.ts';
import type { Permission } from '../../../contract/permissions.ts';
import { type Network, readNetwork } from '../../access/api-keys/networks.ts';

/** Returns the label in its stored form. The function throws `validation_failed`. */
export function checkLabel(label: string): string {
  const trimmed = label.trim();
  if (trimmed === '') throw new Refusal('validation_failed', undefined, { errors: [emptyLabel] });
  return trimmed;
}

const emptyLabel: Fault = { pointer: '/label', code: 'required', detail: 'The label must not be blank.' };

/**
 * Checks the rules for a new key that the schema cannot express, for example which permissions fit which scope. The
 * function reports all faults together. Returns the permissions of the new key.
 */
export function checkKeyRules(body: CreateKeyBody, now: number): Permission[] {
  const errors: Fault[] = body.label.trim() === '' ? [emptyLabel] : [];
  const report = (pointer: string, code: string, detail: string): number => errors.push({ pointer, code, detail });
  for (const scope of ['agent', 'campaign'] as const) {
    const field = `${scope}_id` as const;
    if (body.scope === scope && body[field] === undefined) {
      report(`/${field}`, 'required', `A key of scope "${scope}" needs the ${scope} that it acts for.`);
    }
    if (body.scope !== scope && body[field] !== undefined) {
      report(
        `/${field}`,
        'conflict',
        `Only a key of scope "${scope}" is bound to ${scope === 'agent' ? 'an agent' : 'a campaign'}.`,
      );
    }
  }
  const permissions = body.permissions ?? (body.scope === 'campaign' ? ['campaigns' as const] : []);
  if (permissions.length === 0) report('/permissions', 'required', 'Choose at least one permission.');
  permissions.forEach((permission, index) => {
    const at = `/permissions/${index}`;
    if (permissions.indexOf(permission) < index) report(at, 'duplicate', 'This permission is listed twice.');
    if (body.scope === 'campaign' && permission !== 'campaigns') {
      report(at, 'conflict', 'A campaign key has the permission "campaigns" and no other.');
    }
    if (body.scope !== 'campaign' && permission === 'campaigns') {
      report(at, 'conflict', 'Only campaign keys have the permission "campaigns": create one on the campaign.');
    }
    if (body.scope === 'agent' && permission === 'end_users') {
      report(at, 'conflict', 'An agent key may not have "end_users": end users belong to the whole organization.');
    }
  });
  errors.push(...readNetworks(body.allowed_networks ?? []).errors);
  errors.push(...limitFaults(body.limits ?? {}, permissions, '/limits'));
  if (body.expires_at && Date.parse(body.expires_at) <= now) {
    report('/expires_at', 'past', 'The expiry must be in the future.');
  }
  if (errors.length > 0) throw new Refusal('validation_failed', undefined, { errors });
  return permissions;
}

/** A key without any limit stores null. */
export const givenLimits = (limits: KeyLimits | null | undefined): KeyLimits | null =>
  limits && Object.keys(limits).length > 0 ? limits : null;

/**
 * A limit per end user needs a permission for trigger calls or sends, because only trigger calls and sends reach one
 * person.
 */
export const limitFaults = (limits: KeyLimits, permissions: readonly Permission[], at: string): Fault[] =>
  limits.per_end_user_per_minute === undefined || REACHING.some((one) => permissions.includes(one))
    ? []
    : [{ pointer: `${at}/per_end_user_per_minute`, code: 'conflict', detail: NO_END_USER }];

const REACHING = ['triggers', 'channels'] as const;
const NO_END_USER = 'This limit needs the permission "triggers" or "channels": only their calls reach one end user.';

/**
 * Returns the networks in canonical form, without duplicates, in the order of their first appearance. The function
 * throws `validation_failed`.
 */
export function checkNetworks(texts: readonly string[]): Network[] {
  const { networks, errors } = readNetworks(texts);
  if (errors.length > 0) throw new Refusal('validation_failed', undefined, { errors });
  return networks;
}

function readNetworks(texts: readonly string[]): { networks: Network[]; errors: Fault[] } {
  const networks = new Map<string, Network>();
  const errors: Fault[] = [];
  texts.forEach((text, index) => {
    const read = readNetwork(text);
    if ('fault' in read) errors.push({ pointer: `/allowed_networks/${index}`, code: 'format', detail: read.fault });
    else if (!networks.has(read.text)) networks.set(read.text, read);
  });
  return { networks: [...networks.values()], errors };
}
