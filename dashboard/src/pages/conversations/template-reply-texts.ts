import { defineTexts } from '../../language/texts.tsx';

export const templateReplyTexts = defineTexts(
  {
    open: 'You can reply freely. This ends {when}.',
    closed: 'The person has not written recently, so the channel accepts only an approved template.',
    choose: 'Send a template',
    title: 'Send a template',
    template: 'Template',
    missing: 'Choose a template and fill in each value.',
    send: 'Send',
  },
  {
    open: 'يمكنك الرد بحرية. ينتهي ذلك {when}.',
    closed: 'لم يكتب الشخص مؤخرًا، فلا تقبل القناة إلا قالبًا معتمدًا.',
    choose: 'إرسال قالب',
    title: 'إرسال قالب',
    template: 'القالب',
    missing: 'اختر قالبًا واملأ كل قيمة.',
    send: 'إرسال',
  },
);
