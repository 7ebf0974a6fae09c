import { defineTexts } from '../../../language/texts.tsx';

export const texts = defineTexts(
  {
    weekly: 'Weekly mail',
    weekly_hint:
      'The activity in {organization} in the last 7 days: the numbers of Home, unanswered questions, and channels that do not work. No mail is sent after a week without activity.',
    send_me: 'Send me the weekly mail',
    when: 'The mail is sent on Mondays at 8:00, time zone {zone}, in English.',
    when_ar: 'The mail is sent on Mondays at 8:00, time zone {zone}, in Arabic.',
    as_here: 'Use the time zone and language of this browser',
    sends_none: 'This server sends no mail, because its operator has not configured a mail server.',
    on: 'You get the weekly mail',
    off: 'You no longer get the weekly mail',
    changed: 'Time zone and language saved',
  },
  {
    weekly: 'الرسالة الأسبوعية',
    weekly_hint:
      'النشاط في {organization} خلال الأيام السبعة الأخيرة: أرقام الرئيسية، والأسئلة التي بقيت بلا جواب، والقنوات التي لا تعمل. لا تُرسل رسالة بعد أسبوع بلا نشاط.',
    send_me: 'إرسال الرسالة الأسبوعية إليّ',
    when: 'تصل أيام الاثنين عند الساعة 8:00 بتوقيت {zone}، بالإنجليزية.',
    when_ar: 'تصل أيام الاثنين عند الساعة 8:00 بتوقيت {zone}، بالعربية.',
    as_here: 'استخدام توقيت هذا المتصفح ولغته',
    sends_none: 'لا يرسل هذا الخادم بريدًا: لم يحدّد مشغّله خادم بريد.',
    on: 'ستصلك الرسالة الأسبوعية',
    off: 'لن تصلك الرسالة الأسبوعية بعد الآن',
    changed: 'حُفظ التوقيت واللغة',
  },
);
