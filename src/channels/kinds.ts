import type { ChannelKind } from './channel.ts';
import { sandbox } from './sandbox/sandbox.ts';
import { slack } from './slack/slack.ts';
import { sms } from './sms/sms.ts';
import { telegram } from './telegram/telegram.ts';
import { email } from './email/email.ts';
import { webhook } from './webhook/webhook.ts';
import { whatsapp } from './whatsapp/whatsapp.ts';

/** Every kind of channel there is. A kind that is not finished is not in this list. */
const ALL: readonly ChannelKind[] = [sandbox, webhook, telegram, whatsapp, sms, slack, email];

export type ChannelKinds = ReadonlyMap<string, ChannelKind>;

export const channelKinds: ChannelKinds = new Map(ALL.map((kind) => [kind.kind, kind]));
