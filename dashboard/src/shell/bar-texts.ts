import { defineTexts } from '../language/texts.tsx';

/** Texts of the bars above a page. The first bar loads the texts, because most people see no bar. */
export const barTexts = defineTexts(
  {
    paused: 'This installation is paused',
    paused_hint:
      'This installation is a restored copy. Agents do not answer, and no message, event or mail is sent. To start, the operator runs {command}.',
    verify_email: 'Verify your e-mail address',
    verify_hint: 'Open the link that Parley sends to {email} to verify the address.',
    verify_send: 'Send the link',
    verify_again: 'Send it again',
    verify_sent: 'Parley has sent a link to {email}. Open the link in this browser within 24 hours.',
    verify_question: 'Is {email} your address?',
    verify: 'Yes, verify it',
    verified: 'Your address is verified.',
  },
  {
    paused: 'هذا التثبيت متوقف مؤقتًا',
    paused_hint:
      'هذه نسخة مستعادة. الوكلاء لا يجيبون، ولا تُرسل أي رسالة أو حدث أو بريد. للبدء يشغّل المسؤول عن التثبيت {command}.',
    verify_email: 'أكّد بريدك الإلكتروني',
    verify_hint: 'رابط يُرسل إلى {email} يثبت أن العنوان لك.',
    verify_send: 'إرسال الرابط',
    verify_again: 'إرساله مرة أخرى',
    verify_sent: 'الرابط في طريقه إلى {email}. افتح الرابط في هذا المتصفح خلال 24 ساعة.',
    verify_question: 'هل {email} عنوانك؟',
    verify: 'نعم، أكّده',
    verified: 'تم تأكيد عنوانك.',
  },
);
