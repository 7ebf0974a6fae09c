import { defineWords } from '../language/words.tsx';

/** Texts about message templates that a provider has approved. */
export const templateWords = defineWords(
  {
    choose: 'Template',
    choose_hint: 'The current templates at WhatsApp. Only approved ones can be sent.',
    none: 'The account has no templates yet. Create them in the WhatsApp Manager of Meta.',
    not_found: 'No template matches.',
    loading: 'Loading templates…',
    gone: 'WhatsApp has no template {name} in this language, so it will refuse the message.',
    read_failed:
      'The templates cannot be listed: type the name of one. The list needs the WhatsApp Business Account ID in the settings of the channel.',
    typed_hint:
      'More than 24 hours after the person last wrote, only templates are delivered. A new account has hello_world.',
    language: 'Language of the template',
    preview: 'How it looks',
    value_of: 'Value of {name}',
    status_pending: 'waits for approval',
    status_rejected: 'rejected',
    status_paused: 'paused',
    status_disabled: 'disabled',
    status_other: 'not approved',
    needs_more: 'has parts that Parley cannot fill',
  },
  {
    choose: 'القالب',
    choose_hint: 'القوالب الحالية لدى WhatsApp. لا يُرسل إلا المعتمد منها.',
    none: 'ليس في الحساب قوالب بعد. أنشئها في WhatsApp Manager لدى Meta.',
    not_found: 'لا قالب يطابق.',
    loading: 'جارٍ تحميل القوالب…',
    gone: 'ليس لدى WhatsApp قالب {name} بهذه اللغة، فسيرفض الرسالة.',
    read_failed: 'تعذّر سرد القوالب: اكتب اسم واحد. تحتاج القائمة إلى معرّف حساب WhatsApp Business في إعدادات القناة.',
    typed_hint: 'بعد 24 ساعة من كتابة الشخص لا تصل إلا القوالب. للحساب الجديد hello_world.',
    language: 'لغة القالب',
    preview: 'كيف يبدو',
    value_of: 'قيمة {name}',
    status_pending: 'ينتظر الاعتماد',
    status_rejected: 'مرفوض',
    status_paused: 'موقوف مؤقتًا',
    status_disabled: 'معطّل',
    status_other: 'غير معتمد',
    needs_more: 'فيه أجزاء لا يملؤها Parley',
  },
);
