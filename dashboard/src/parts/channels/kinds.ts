import {
  IconBrandSlack,
  IconBrandTelegram,
  IconBrandWhatsapp,
  IconDeviceMobileMessage,
  IconFlask,
  IconMail,
  IconMessageChatbot,
  IconWebhook,
  type Icon,
} from '@tabler/icons-react';
import type { CHANNEL_FORMS, ChannelKindName } from '../../../../contract/channel-kinds.ts';

export { CHANNEL_KINDS as KINDS, isChannelKind as isKnownKind } from '../../../../contract/channel-kinds.ts';

/** The compiler asks for each kind that the contract names. */
export const KIND_ICONS: Record<ChannelKindName, Icon> = {
  sandbox: IconFlask,
  web_chat: IconMessageChatbot,
  webhook: IconWebhook,
  telegram: IconBrandTelegram,
  whatsapp: IconBrandWhatsapp,
  sms: IconDeviceMobileMessage,
  slack: IconBrandSlack,
  email: IconMail,
};

type Forms = typeof CHANNEL_FORMS;
type FieldsOf<K extends ChannelKindName> = keyof Forms[K]['settings']['properties'] & string;
/** Every field of every form as `kind.field`; addresses of servers of one's own are the same everywhere. */
export type FieldWord = {
  [K in ChannelKindName]: `${K}.${Exclude<FieldsOf<K>, 'api_url' | 'translations'>}`;
}[ChannelKindName];
