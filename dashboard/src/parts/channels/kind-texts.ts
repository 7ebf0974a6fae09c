import { defineTexts } from '../../language/texts.tsx';

/** The description of each kind, and the steps at the provider after connecting, one step per line. */
export const kindTexts = defineTexts(
  {
    kind_sandbox_hint: 'For tests: conversations stay in this dashboard, and you write as the end user.',
    kind_web_chat_hint: 'A chat on your site or on a hosted page. One line of HTML.',
    kind_webhook_hint: 'Parley exchanges messages with your endpoint, signed in both directions as Standard Webhooks.',
    kind_telegram_hint: 'People write to a bot. You need a token from @BotFather.',
    kind_whatsapp_hint: 'Business Platform, Cloud API. You need an app and a number at Meta.',
    kind_sms_hint: 'Over Twilio. You need an account with a number.',
    kind_slack_hint: 'Direct messages through a Slack app of your workspace.',
    kind_email_hint:
      'The channel sends through your SMTP server. The channel receives signed calls from your mail provider.',
    after_sandbox: '',
    after_web_chat:
      'Put the script on the pages that show the chat. The sites of these pages must be in the list of allowed sites.',
    after_webhook:
      'Your backend sends what people write to the URL above by POST, signed with the channel’s secret as Standard Webhooks.\nYour backend verifies the calls of Parley with the same secret, and returns any 2xx.',
    after_telegram:
      'Nothing: Parley has registered the webhook of the bot.\nOpen the bot in Telegram and write to it. The agent can message only people who have written before.',
    after_whatsapp:
      'In the app dashboard open WhatsApp → Configuration → Webhook.\nPaste the URL above as “Callback URL” and the verify token as “Verify token”, then “Verify and save”.\nUnder “Webhook fields”, subscribe to “messages”.',
    after_sms:
      'In the Twilio console open the number: Phone Numbers → Manage → Active numbers.\nUnder “Messaging”, set “A message comes in” to Webhook, the URL above, HTTP POST. With a messaging service, use its “Integration” page instead.\nDelivery receipts need no setting, because Parley requests a receipt with every message.',
    after_slack:
      'Open api.slack.com/apps → your app → Event Subscriptions, enable events, and paste the URL above as “Request URL”.\nUnder “Subscribe to bot events”, add message.im.\nUnder “Interactivity & Shortcuts”, paste the same URL, so that buttons work.\nUnder “App Home”, allow people to send messages, then install the app again.',
    after_email:
      'Configure your mail provider, or a script behind your MX, to send each e-mail to the URL above by POST, as JSON with type, message_id, from and text.\nSign it with the channel’s secret as Standard Webhooks.\nIf you only send e-mail, none of this is needed.',
    address_sandbox: 'Name of the test person',
    address_web_chat: 'Visitor',
    address_webhook: 'The person’s ID in your system',
    address_telegram: 'Chat ID',
    address_whatsapp: 'Phone number',
    address_sms: 'Phone number',
    address_slack: 'Member ID',
    address_email: 'E-mail address',
    address_hint_sandbox: 'The conversation appears under this name.',
    address_hint_web_chat: 'The ID comes from a conversation on this channel.',
    address_hint_webhook: 'Your endpoint receives this text as address.',
    address_hint_telegram: 'A number. The person must have written to the bot before.',
    address_hint_whatsapp: 'With country code, such as +97430000000.',
    address_hint_sms: 'With country code, such as +97430000000.',
    address_hint_slack: 'In Slack: profile → ⋮ → Copy member ID. Starts with U.',
    address_hint_email: 'For example, your own e-mail address.',
  },
  {
    kind_sandbox_hint: 'مكان للتجربة: تبقى المحادثات في لوحة التحكم هذه، وتلعب أنت دور الطرف الآخر.',
    kind_web_chat_hint: 'محادثة على موقعك أو على صفحة خاصة بها. سطر HTML واحد.',
    kind_webhook_hint: 'تذهب الرسائل إلى عنوان لديك وتأتي منه، موقّعة في الاتجاهين وفق Standard Webhooks.',
    kind_telegram_hint: 'يكتب الناس إلى بوت. يلزم رمز من ‎@BotFather.',
    kind_whatsapp_hint: 'منصة الأعمال، Cloud API. يلزم تطبيق ورقم لدى Meta.',
    kind_sms_hint: 'عبر Twilio. يلزم حساب له رقم.',
    kind_slack_hint: 'رسائل مباشرة مع تطبيق Slack في مساحة عملك.',
    kind_email_hint: 'يخرج عبر خادم SMTP لديك، ويدخل بنداء موقّع مما يستقبل بريدك.',
    after_sandbox: '',
    after_web_chat: 'ضع النص البرمجي في الصفحات التي تعرض المحادثة، ويجب أن تكون مواقعها من المسموح بها.',
    after_webhook:
      'يرسل خادمك ما يكتبه الناس إلى العنوان أعلاه موقّعًا بسر القناة وفق Standard Webhooks.\nوبالسر نفسه يتحقق مما يرسله Parley إلى عنوانك، ويجيب بأي 2xx.',
    after_telegram:
      'لا شيء: أخبر Parley البوت بعنوان النداء.\nافتح البوت في Telegram واكتب إليه. يمكن الكتابة إلى الناس بعد أن يكتبوا هم.',
    after_whatsapp:
      'في لوحة التطبيق افتح WhatsApp ← Configuration ← Webhook.\nألصق العنوان أعلاه في «Callback URL» ورمز التحقق في «Verify token» ثم «Verify and save».\nتحت «Webhook fields» اشترك في «messages».',
    after_sms:
      'في Twilio console افتح الرقم: Phone Numbers ← Manage ← Active numbers.\nتحت «Messaging» اجعل «A message comes in» Webhook بالعنوان أعلاه وHTTP POST. ومع خدمة رسائل: صفحتها «Integration».\nلا تحتاج الإيصالات إلى إعداد: يطلبها Parley مع كل رسالة.',
    after_slack:
      'افتح api.slack.com/apps ← تطبيقك ← Event Subscriptions وفعّل الأحداث وألصق العنوان أعلاه في «Request URL».\nتحت «Subscribe to bot events» أضف message.im.\nتحت «Interactivity & Shortcuts» ألصق العنوان نفسه لتعمل الأزرار.\nتحت «App Home» اسمح للناس بإرسال الرسائل ثم ثبّت التطبيق من جديد.',
    after_email:
      'اجعل مزوّد بريدك، أو برنامجًا خلف MX، يرسل كل بريد إلى العنوان أعلاه بصيغة JSON وفيها type وmessage_id وfrom وtext.\nويوقّعه بسر القناة وفق Standard Webhooks.\nالبريد الذي يخرج فقط لا يحتاج إلى شيء من هذا.',
    address_sandbox: 'اسم شخص الاختبار',
    address_web_chat: 'الزائر',
    address_webhook: 'معرّف الشخص لديك',
    address_telegram: 'معرّف المحادثة',
    address_whatsapp: 'رقم الهاتف',
    address_sms: 'رقم الهاتف',
    address_slack: 'معرّف العضو',
    address_email: 'عنوان البريد الإلكتروني',
    address_hint_sandbox: 'تظهر المحادثة بهذا الاسم.',
    address_hint_web_chat: 'من محادثة على هذه القناة.',
    address_hint_webhook: 'يصل إلى عنوانك باسم address.',
    address_hint_telegram: 'رقم. ويجب أن يكون الشخص قد كتب إلى البوت من قبل.',
    address_hint_whatsapp: 'مع رمز البلد، مثل ‎+97430000000.',
    address_hint_sms: 'مع رمز البلد، مثل ‎+97430000000.',
    address_hint_slack: 'في Slack: الملف الشخصي ← ⋮ ← Copy member ID. يبدأ بـ U.',
    address_hint_email: 'عنوانك أنت مثلًا.',
  },
);
