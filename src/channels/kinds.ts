import type { ChannelKind } from './channel.ts';
import { sandbox } from './sandbox/sandbox.ts';
import { webhook } from './webhook/webhook.ts';

/** Every kind of channel there is. A kind that is not finished is not in this list. */
const ALL: readonly ChannelKind[] = [sandbox, webhook];

export type ChannelKinds = ReadonlyMap<string, ChannelKind>;

export const channelKinds: ChannelKinds = new Map(ALL.map((kind) => [kind.kind, kind]));
