import { defineTexts } from '../../../language/texts.tsx';

export const texts = defineTexts(
  {
    retention: 'Retention',
    hint: 'How long conversations are kept. Opt-outs, the audit log and end users are always kept.',
    keep: 'Keep conversations permanently',
    erase: 'Erase old conversations',
    days: 'Days without activity',
    days_hint: 'Between {min} and {max} days.',
    days_wrong: 'A whole number from {min} to {max}.',
    what_goes:
      'Once a day, Parley erases conversations without activity for this many days, with their messages and runs, in small batches. In active conversations, Parley erases messages older than the retention period. Parley does not erase conversations that a member has taken over or that still have messages to send. The counts of campaigns stay.',
    preview_none: 'No conversation is older than this period.',
    preview: {
      one: 'About {many} conversation is older than this period and will be erased.',
      other: 'About {many} conversations are older than this period and will be erased.',
    },
    preview_more: 'At least {many} conversations are older than this period and will be erased.',
    swept: 'Last run {at}.',
    owners_only: 'Only owners can change the retention.',
    saved: 'Retention saved.',
    confirm_title: 'Erase old conversations?',
    confirm_words: {
      one: 'Messages older than {days} day are erased permanently, now and every day. Erased messages cannot be restored.',
      other:
        'Messages older than {days} days are erased permanently, now and every day. Erased messages cannot be restored.',
    },
    confirm_ask: 'Type the name of the organization:',
    confirm_act: 'Save and erase',
  },
  {
    retention: 'مدة الاحتفاظ',
    hint: 'كم تُحفظ المحادثات. تبقى دائمًا طلبات إيقاف الرسائل وسجل التدقيق والأشخاص أنفسهم.',
    keep: 'الاحتفاظ بالمحادثات دائمًا',
    erase: 'محو المحادثات بعد مدة',
    days: 'أيام بلا نشاط',
    days_hint: 'بين {min} و{max} يومًا.',
    days_wrong: 'عدد صحيح من {min} إلى {max}.',
    what_goes:
      'المحادثات التي لم يحدث فيها شيء طوال هذه الأيام تُمحى مع رسائلها وعمليات تشغيلها، قليلًا قليلًا، مرة كل يوم. وفي المحادثات المستمرة تُمحى الرسائل الأقدم من ذلك. أما المحادثات التي تولّاها أشخاص أو ما زال لديها ما يُرسل فلا تُمس. وتبقى أعداد الحملات.',
    preview_none: 'لا توجد محادثات أقدم من ذلك.',
    preview: {
      one: 'محادثة واحدة تقريبًا أقدم من ذلك وستُمحى.',
      two: 'محادثتان تقريبًا أقدم من ذلك وستُمحيان.',
      few: 'نحو {many} محادثات أقدم من ذلك وستُمحى.',
      many: 'نحو {many} محادثة أقدم من ذلك وستُمحى.',
      other: 'نحو {many} محادثة أقدم من ذلك وستُمحى.',
    },
    preview_more: 'ما لا يقل عن {many} محادثة أقدم من ذلك وستُمحى.',
    swept: 'آخر مرة {at}.',
    owners_only: 'لا يغيّر هذا إلا المالكون.',
    saved: 'حُفظت مدة الاحتفاظ.',
    confirm_title: 'محو المحادثات القديمة؟',
    confirm_words: {
      one: 'الرسائل الأقدم من يوم واحد تُمحى نهائيًا، الآن وكل يوم من بعد. ولا يمكن استرجاعها.',
      two: 'الرسائل الأقدم من يومين تُمحى نهائيًا، الآن وكل يوم من بعد. ولا يمكن استرجاعها.',
      few: 'الرسائل الأقدم من {days} أيام تُمحى نهائيًا، الآن وكل يوم من بعد. ولا يمكن استرجاعها.',
      many: 'الرسائل الأقدم من {days} يومًا تُمحى نهائيًا، الآن وكل يوم من بعد. ولا يمكن استرجاعها.',
      other: 'الرسائل الأقدم من {days} يوم تُمحى نهائيًا، الآن وكل يوم من بعد. ولا يمكن استرجاعها.',
    },
    confirm_ask: 'اكتب اسم المؤسسة:',
    confirm_act: 'حفظ ومحو',
  },
);
