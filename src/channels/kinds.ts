import type { ChannelKindName } from '../../contract/channel-kinds.ts';
import type { ChannelKind } from './channel.ts';
import { sandbox } from './sandbox/sandbox.ts';
import { slack } from './slack/slack.ts';
import { sms } from './sms/sms.ts';
import { telegram } from './telegram/telegram.ts';
import { email } from './email/email.ts';
import { webChat } from './web-chat/web-chat.ts';
import { webhook } from './webhook/webhook.ts';
import { whatsapp } from './whatsapp/whatsapp.ts';

/**
 * Maps each kind in the contract to its implementation. The compiler requires an entry for every kind that can be
 * connected.
 */
const ALL: Record<ChannelKindName, ChannelKind> = {
  sandbox,
  web_chat: webChat,
  webhook,
  telegram,
  whatsapp,
  sms,
  slack,
  email,
};

export type ChannelKinds = ReadonlyMap<string, ChannelKind>;

export const channelKinds: ChannelKinds = new Map(Object.entries(ALL));
