import { kindsBy } from '../../../contract/channel-kinds.ts';
import { type Chained, chainedForms } from '../../kernel/key-chain.ts';

export const IDENTIFIERS = ['external_id', 'email', 'phone'] as const;
export type Identifier = (typeof IDENTIFIERS)[number];

/** An identifier of a person (external ID, e-mail or phone), or an address on a kind of channel. */
export type Identified = { orgId: string; kind: Identifier | `address ${string}`; value: string };

/**
 * A digest stands for an identifier and does not reveal it. After a person is erased, their opt-outs are stored under
 * the digests. The digest uses a key, because an attacker could try all phone numbers. Returns the digests of an
 * identifier for all secrets that a row may use. The digest for new rows comes first.
 */
export type Suppression = ((identified: Identified) => readonly Buffer[]) & { readonly generation: number };

export const createSuppression = (key: Buffer & Chained): Suppression =>
  Object.assign(({ orgId, kind, value }: Identified) => chainedForms(key, JSON.stringify([orgId, kind, value])), {
    generation: key.forms?.[0] ?? 0,
  });

/** On the listed kinds of channel, the person's own identifier is the address. */
export const identifiersAt = (channelKind: string, address: string): readonly [Identified['kind'], string][] => {
  const own: [Identified['kind'], string] = [`address ${channelKind}`, address];
  if (kindsBy('email').includes(channelKind)) return [own, ['email', address.toLowerCase()]];
  if (kindsBy('phone').includes(channelKind))
    return [own, ['phone', address.startsWith('+') ? address : `+${address}`]];
  return [own];
};

export type Consent = Record<string, unknown>;

/** An opt-out overrides the stored consent. The stored consent on other kinds of channel does not change. */
export const withOptOuts = (consent: Consent, suppressed: Consent): Consent => ({ ...consent, ...suppressed });
