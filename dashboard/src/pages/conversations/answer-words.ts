import { defineWords } from '../../language/words.tsx';

export const answerWords = defineWords(
  {
    members: 'Members',
    members_found: { one: '{count} member', other: '{count} members' },
    saved_replies: 'Saved replies',
    manage_saved_replies: 'Manage saved replies',
    first_saved_reply: 'No saved replies yet. Write the first one',
    saved_replies_found: { one: '{count} saved reply', other: '{count} saved replies' },
    missing_values: 'There is no value for {names}. Fill in what is missing before you send.',
    send_as_is: 'Send as it is',
    held: 'Your reply is sent in {seconds} seconds.',
    undo: 'Undo',
    key_undo: 'Take back the reply that waits',
    undone: 'The reply is not sent. It is in the field again.',
  },
  {
    members: 'الأعضاء',
    members_found: { one: 'عضو واحد', two: 'عضوان', few: '{count} أعضاء', other: '{count} عضوًا' },
    saved_replies: 'الردود المحفوظة',
    manage_saved_replies: 'إدارة الردود المحفوظة',
    first_saved_reply: 'لا ردود محفوظة بعد. اكتب أولها',
    saved_replies_found: {
      zero: 'لا ردود محفوظة',
      one: 'رد محفوظ واحد',
      two: 'ردان محفوظان',
      few: '{count} ردود محفوظة',
      many: '{count} ردًا محفوظًا',
      other: '{count} رد محفوظ',
    },
    missing_values: 'لا قيمة لـ {names}. املأ الناقص قبل الإرسال.',
    send_as_is: 'الإرسال كما هو',
    held: 'يُرسل ردك خلال {seconds} ثوانٍ.',
    undo: 'تراجع',
    key_undo: 'استرجاع الرد المنتظر',
    undone: 'لم يُرسل الرد. عاد إلى الحقل.',
  },
);
