export type ChannelKind = 'sandbox' | 'webhook';
const kinds: Record<ChannelKind, true> = { sandbox: true, webhook: true };
export const KINDS = Object.keys(kinds) as ChannelKind[];
export const isKnownKind = (kind: string): kind is ChannelKind => kind in kinds;
