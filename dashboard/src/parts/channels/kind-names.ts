import { defineTexts } from '../../language/texts.tsx';

/** The names of the kinds, without their descriptions (kind-texts.ts), because lists show only names. */
export const kindNames = defineTexts(
  {
    kind_sandbox: 'Sandbox',
    kind_web_chat: 'Web chat',
    kind_webhook: 'Webhook',
    kind_telegram: 'Telegram',
    kind_whatsapp: 'WhatsApp',
    kind_sms: 'SMS',
    kind_slack: 'Slack',
    kind_email: 'E-mail',
  },
  {
    kind_sandbox: 'تجربة',
    kind_web_chat: 'محادثة الويب',
    kind_webhook: 'Webhook',
    kind_telegram: 'Telegram',
    kind_whatsapp: 'WhatsApp',
    kind_sms: 'SMS',
    kind_slack: 'Slack',
    kind_email: 'البريد الإلكتروني',
  },
);
