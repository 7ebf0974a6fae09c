import { defineTexts } from '../../language/texts.tsx';

export const texts = defineTexts(
  {
    stop_title: 'Stop the weekly mail?',
    stop_hint:
      'You no longer get the weekly mail of this organization. You can turn on the mail again under “Your account”.',
    stop: 'Stop it',
    stopped: 'The weekly mail is stopped',
    stopped_hint: 'You can turn on the weekly mail again under “Your account”.',
    to_account: 'Your account',
  },
  {
    stop_title: 'هل تريد إيقاف الرسالة الأسبوعية؟',
    stop_hint: 'لن تصلك الرسالة الأسبوعية لهذه المؤسسة بعد الآن. يمكنك تشغيلها من جديد في «حسابك».',
    stop: 'إيقافها',
    stopped: 'أُوقفت الرسالة الأسبوعية',
    stopped_hint: 'إن أردتها من جديد، فشغّلها في «حسابك».',
    to_account: 'حسابك',
  },
);
