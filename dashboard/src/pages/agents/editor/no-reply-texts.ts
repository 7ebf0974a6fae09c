import { defineTexts } from '../../../language/texts.tsx';

/** What the agent does while a person does not answer. */
export const noReplyTexts = defineTexts(
  {
    title: 'If the end user does not answer',
    hint: 'Times count from the last message of the agent. Reminders respect consent, the quiet hours of the campaign and the reply window of the channel.',
    reminders: 'Reminders',
    reminder: { one: 'After {count} minute', other: 'After {count} minutes' },
    empty: 'No reminders.',
    add: 'Add reminder',
    after: 'Minutes without an answer',
    text: 'Message',
    end_after: 'End after this many minutes without an answer',
    end_after_hint: 'Leave empty to keep the conversation open.',
    at_end: 'Then',
    then_complete: 'End the conversation',
    then_hand_off: 'Hand the conversation over to the team',
  },
  {
    title: 'إذا لم يُجب المستخدم النهائي',
    hint: 'تُحسب الأوقات من آخر رسالة للوكيل. تراعي التذكيرات الموافقة وساعات الهدوء في الحملة ونافذة الرد في القناة.',
    reminders: 'التذكيرات',
    reminder: {
      one: 'بعد دقيقة واحدة',
      two: 'بعد دقيقتين',
      few: 'بعد {count} دقائق',
      many: 'بعد {count} دقيقة',
      other: 'بعد {count} دقيقة',
    },
    empty: 'لا تذكيرات.',
    add: 'إضافة تذكير',
    after: 'الدقائق من دون جواب',
    text: 'الرسالة',
    end_after: 'الإنهاء بعد هذا العدد من الدقائق من دون جواب',
    end_after_hint: 'اتركه فارغًا لتبقى المحادثة مفتوحة.',
    at_end: 'ثم',
    then_complete: 'إنهاء المحادثة',
    then_hand_off: 'تسليم المحادثة إلى الفريق',
  },
);
