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

/** The compiler requires each kind of the contract. */
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
/**
 * The names of all fields of all forms, as `kind.field`. Fields for the URL of a self-hosted server are the same in all
 * kinds.
 */
export type FieldWord = {
  [K in ChannelKindName]: `${K}.${Exclude<FieldsOf<K>, 'api_url' | 'translations'>}`;
}[ChannelKindName];
