import type { ChannelKind } from '../../../../contract/dashboard/channels.ts';

/** The kinds that can be connected: the compiler asks for each that the contract names. */
const kinds: Record<ChannelKind, true> = { sandbox: true, webhook: true };
export const KINDS = Object.keys(kinds) as ChannelKind[];
export const isKnownKind = (kind: string): kind is ChannelKind => kind in kinds;
