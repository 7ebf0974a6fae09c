import { kindsBy } from '../../../contract/channel-kinds.ts';
import { type Chained, chainedForms } from '../../kernel/key-chain.ts';

export const IDENTIFIERS = ['external_id', 'email', 'phone'] as const;
export type Identifier = (typeof IDENTIFIERS)[number];

/** An identifier of a person: one of the three identifiers, or an address on a kind of channel. */
export type Identified = { orgId: string; kind: Identifier | `address ${string}`; value: string };

/**
 * A digest that replaces an identifier without revealing it. The digest stores an opt-out after the person is erased.
 * The digest uses a key, because phone numbers are few enough to try them all. Returns the digests that a row may have.
 * The digest for new rows comes first.
 */
export type Suppression = ((identified: Identified) => readonly Buffer[]) & { readonly generation: number };

export const createSuppression = (key: Buffer & Chained): Suppression =>
  Object.assign(({ orgId, kind, value }: Identified) => chainedForms(key, JSON.stringify([orgId, kind, value])), {
    generation: key.forms?.[0] ?? 0,
  });

/** On these kinds of channel, the person's own identifier is the address. */
export const identifiersAt = (channelKind: string, address: string): readonly [Identified['kind'], string][] => {
  const own: [Identified['kind'], string] = [`address ${channelKind}`, address];
  if (kindsBy('email').includes(channelKind)) return [own, ['email', address.toLowerCase()]];
  if (kindsBy('phone').includes(channelKind))
    return [own, ['phone', address.startsWith('+') ? address : `+${address}`]];
  return [own];
};

export type Consent = Record<string, unknown>;

/** Opt-outs override everything else. The stored consent on other kinds of channel stays. */
export const withOptOuts = (consent: Consent, suppressed: Consent): Consent => ({ ...consent, ...suppressed });
