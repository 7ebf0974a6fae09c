import { defineWords } from '../../language/words.tsx';

export const snoozeWords = defineWords(
  {
    snooze: 'Snooze',
    key: 'Snooze, or end the snooze',
    end: 'End snooze',
    choice: '{name} · {time}',
    later: 'In 3 hours',
    tomorrow: 'Tomorrow',
    monday: 'Next Monday',
    choose: 'Choose a time',
    until: 'Until',
    past: 'The time is in the past.',
    snoozed: 'Snoozed until {time}. The snooze ends earlier if the person writes.',
    ended: 'The snooze has ended.',
    until_time: 'Snoozed until {time}',
  },
  {
    snooze: 'تأجيل',
    key: 'تأجيل المحادثة أو إنهاء التأجيل',
    end: 'إنهاء التأجيل',
    choice: '{name} · {time}',
    later: 'بعد 3 ساعات',
    tomorrow: 'غدًا',
    monday: 'الاثنين القادم',
    choose: 'اختيار وقت',
    until: 'حتى',
    past: 'هذا الوقت مضى.',
    snoozed: 'أُجّلت حتى {time}. ينتهي التأجيل قبل ذلك إن كتب الشخص.',
    ended: 'انتهى التأجيل.',
    until_time: 'مؤجلة حتى {time}',
  },
);
