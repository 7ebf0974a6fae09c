import { defineWords } from '../../language/words.tsx';

export const templateReplyWords = defineWords(
  {
    open: 'The channel takes words. That ends {when}.',
    closed: 'The person has not written lately, so the channel takes only a template that its provider has approved.',
    choose: 'Send a template',
    title: 'Send a template',
    template: 'Template',
    missing: 'Choose a template and fill in each value.',
    send: 'Send',
  },
  {
    open: 'تقبل القناة الكلام. ينتهي ذلك {when}.',
    closed: 'لم يكتب الشخص منذ مدة، فلا تقبل القناة إلا قالبًا اعتمده مزوّدها.',
    choose: 'إرسال قالب',
    title: 'إرسال قالب',
    template: 'القالب',
    missing: 'اختر قالبًا واملأ كل قيمة.',
    send: 'إرسال',
  },
);
