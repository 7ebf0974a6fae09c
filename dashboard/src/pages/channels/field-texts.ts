import type { FieldWord } from '../../parts/channels/kinds.ts';

/**
 * The label of each field, and the place where its value is found. The compiler requires every field of the contract.
 */
type FieldWords = Record<FieldWord | 'api_url', readonly [label: string, hint: string]>;

export const fieldTexts: { en: FieldWords; ar: FieldWords } = {
  en: {
    'webhook.url': ['URL', 'Parley sends the agent’s messages to this HTTPS URL by POST.'],
    'telegram.bot_token': ['Bot token', 'In Telegram, send /newbot to @BotFather; the reply contains the token.'],
    'whatsapp.phone_number_id': [
      'Phone number ID',
      'developers.facebook.com → your app → WhatsApp → API setup. Not the phone number itself.',
    ],
    'whatsapp.access_token': [
      'Access token',
      'A permanent token of a system user with whatsapp_business_messaging. The token under API setup expires after a day.',
    ],
    'whatsapp.app_secret': ['App secret', 'App settings → Basic. Parley uses the secret to verify calls from Meta.'],
    'whatsapp.business_account_id': [
      'WhatsApp Business Account ID',
      'WhatsApp → API setup. With this ID, you can choose templates from a list.',
    ],
    'sms.account_sid': ['Account SID', 'console.twilio.com → Account Info. Starts with AC.'],
    'sms.auth_token': ['Auth token', 'console.twilio.com → Account Info.'],
    'sms.from': ['Sender', 'A number of the account (+974…), or the SID of a messaging service (MG…).'],
    'slack.bot_token': [
      'Bot token',
      'api.slack.com/apps → your app → OAuth & Permissions. Starts with xoxb-; needs chat:write and im:history, and files:read for files that people send.',
    ],
    'slack.signing_secret': ['Signing secret', 'Basic Information → App Credentials.'],
    'email.host': ['SMTP server', 'For example smtp.example.com.'],
    'email.port': ['Port', 'Default: 465 for TLS, otherwise 587.'],
    'email.security': ['Encryption', 'Choose TLS, unless your mail provider says otherwise.'],
    'email.username': ['User name', 'Leave empty if the server requires no user name.'],
    'email.password': ['Password', 'Many mail providers require an app password.'],
    'email.from': ['Sender address', 'For example support@example.com.'],
    'email.from_name': ['Sender name', 'The name that people see before the address.'],
    'email.subject': ['Subject', 'Used for e-mails without a subject of their own.'],
    'web_chat.allowed_origins': [
      'Sites that may show the chat',
      'Write each site on its own line, such as https://shop.example.',
    ],
    'web_chat.title': ['Title', 'The chat shows the title above the conversation.'],
    'web_chat.greeting': ['Greeting', 'The chat shows the greeting before the visitor writes.'],
    'web_chat.suggestions': [
      'First questions',
      'The chat shows the questions as buttons before the visitor writes. Write each question on its own line, at most 4.',
    ],
    'web_chat.color': ['Color', 'Such as #0b7a75.'],
    'web_chat.avatar': ['Avatar', 'Initials or one emoji beside the title.'],
    'web_chat.position': ['Corner', 'The lower left or right corner of the page.'],
    'web_chat.files': ['Files from visitors', 'Visitors can send pictures and files of up to 10 MB.'],
    'web_chat.thumbs': ['Ratings of answers', 'Visitors can rate each answer of the agent as good or bad.'],
    'web_chat.hosted_page': ['Hosted page', 'The chat has its own page, and you can send its URL to people.'],
    api_url: ['API URL', 'Required only if you reach the provider through your own server or proxy.'],
  },
  ar: {
    'webhook.url': ['عنوان URL', 'يرسل Parley رسائل الوكيل إلى عنوان HTTPS هذا عبر POST.'],
    'telegram.bot_token': ['رمز البوت', 'اكتب ‎/newbot إلى ‎@BotFather في Telegram، فيأتيك الرمز في رده.'],
    'whatsapp.phone_number_id': [
      'معرّف رقم الهاتف',
      'developers.facebook.com ← تطبيقك ← WhatsApp ← API setup. وليس رقم الهاتف نفسه.',
    ],
    'whatsapp.access_token': [
      'رمز الوصول',
      'لمستخدم نظام له whatsapp_business_messaging ودون انتهاء: ما تجده في API setup يعيش يومًا واحدًا.',
    ],
    'whatsapp.app_secret': ['سر التطبيق', 'App settings ← Basic. به يعرف Parley ما ترسله Meta.'],
    'whatsapp.business_account_id': ['معرّف حساب WhatsApp Business', 'WhatsApp ← API setup. به تختار القوالب من قائمة.'],
    'sms.account_sid': ['Account SID', 'console.twilio.com ← Account Info. يبدأ بـ AC.'],
    'sms.auth_token': ['Auth token', 'console.twilio.com ← Account Info.'],
    'sms.from': ['المرسل', 'رقم من الحساب (‎+974…) أو SID لخدمة رسائل (MG…).'],
    'slack.bot_token': [
      'رمز البوت',
      'api.slack.com/apps ← تطبيقك ← OAuth & Permissions. يبدأ بـ ‎xoxb-‎، ويحتاج chat:write وim:history، وfiles:read للملفات التي يرسلها الناس.',
    ],
    'slack.signing_secret': ['سر التوقيع', 'Basic Information ← App Credentials.'],
    'email.host': ['خادم SMTP', 'مثلًا smtp.example.com.'],
    'email.port': ['المنفذ', 'إن تُرك فارغًا: ‎465 مع TLS وإلا 587.'],
    'email.security': ['التشفير', 'TLS ما لم يقل مزوّد بريدك غير ذلك.'],
    'email.username': ['اسم المستخدم', 'إن طلبه الخادم.'],
    'email.password': ['كلمة المرور', 'غالبًا كلمة مرور تطبيق تنشئها لدى مزوّد بريدك.'],
    'email.from': ['عنوان المرسل', 'مثلًا support@example.com.'],
    'email.from_name': ['اسم المرسل', 'ما يراه الناس قبل العنوان.'],
    'email.subject': ['الموضوع', 'للرسائل التي لا تحمل موضوعًا.'],
    'web_chat.allowed_origins': ['المواقع التي يجوز أن تعرض المحادثة', 'واحد في كل سطر، مثل https://shop.example.'],
    'web_chat.title': ['العنوان', 'ما يظهر فوق المحادثة.'],
    'web_chat.greeting': ['الترحيب', 'الكلمات الأولى قبل أن يكتب أحد.'],
    'web_chat.suggestions': ['الأسئلة الأولى', 'أزرار تظهر قبل أن يكتب الزائر. سؤال في كل سطر، وأربعة على الأكثر.'],
    'web_chat.color': ['اللون', 'مثل ‎#0b7a75.'],
    'web_chat.avatar': ['الصورة الرمزية', 'حروف أولى أو رمز تعبيري واحد بجانب العنوان.'],
    'web_chat.position': ['الزاوية', 'الزاوية السفلى اليسرى أو اليمنى من الصفحة.'],
    'web_chat.files': ['ملفات الزوار', 'يستطيع الزوار إرسال صور وملفات حتى 10 ميغابايت.'],
    'web_chat.thumbs': ['تقييم الأجوبة', 'يستطيع الزوار تقييم كل جواب من الوكيل بأنه جيد أو سيئ.'],
    'web_chat.hosted_page': ['صفحة خاصة', 'للمحادثة عنوان يمكنك إرساله إلى الناس.'],
    api_url: ['عنوان API', 'فقط إن كان الوصول إلى المزوّد عبر خادم أو وكيل لديك.'],
  },
};
