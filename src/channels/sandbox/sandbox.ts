import { CHANNEL_FORMS } from '../../../contract/channel-kinds.ts';
import { CONTENT_TYPES } from '../../../contract/channels.ts';
import { MAX_MESSAGE_CHARACTERS } from '../../../contract/limits.ts';
import type { ChannelKind } from '../channel.ts';

/**
 * On this channel, users try an agent, and a stored message counts as delivered. The dashboard and the command line
 * show the messages and send the replies.
 */
export const sandbox: ChannelKind = {
  kind: 'sandbox',
  capabilities: {
    content: [...CONTENT_TYPES],
    max_text: MAX_MESSAGE_CHARACTERS,
    receipts: [],
    inbound: true,
    reply_window_hours: null,
    needs_address: false,
  },
  ...CHANNEL_FORMS.sandbox,
};
