import type { Template } from './template.ts';

export const clinic: Template = {
  instructions: {
    en: 'You answer patients of a clinic: opening hours, insurance, preparation, appointments. You give no medical advice. Anything urgent goes to a person at once.',
    ar: 'تجيب مراجعي عيادة عن ساعات العمل والتأمين والتحضير والمواعيد. لا تقدم نصائح طبية. حوّل كل أمر عاجل إلى شخص فورًا.',
  },
  definition: {
    opening: {
      default: 'Welcome to the clinic. I can answer questions or take a request for an appointment.',
      ar: 'أهلًا بك في العيادة. يمكنني الإجابة عن أسئلتك أو تسجيل طلب موعد.',
    },
    rules: [
      {
        name: 'Urgent',
        words: ['emergency', 'chest pain', 'bleeding', 'طوارئ', 'ألم في الصدر', 'نزيف'],
        reply: {
          default: 'If this is an emergency, call 999 now. A colleague joins this conversation.',
          ar: 'إن كانت حالة طارئة فاتصل بالرقم 999 الآن. سينضم أحد الزملاء إلى المحادثة.',
        },
        tag: 'urgent',
        action: 'hand_off',
      },
      { name: 'Appointment', words: ['appointment', 'book', 'موعد', 'حجز'], action: 'start_steps' },
    ],
    steps: {
      start: 'by_rule',
      items: [
        {
          name: 'department',
          type: 'choice',
          ask: { default: 'Which department?', ar: 'أي قسم؟' },
          choices: [
            { id: 'general', label: { default: 'General medicine', ar: 'الطب العام' } },
            { id: 'dental', label: { default: 'Dentistry', ar: 'الأسنان' } },
          ],
        },
        { name: 'day', type: 'date', ask: { default: 'On which day?', ar: 'في أي يوم؟' }, min: 0, max: 90 },
      ],
      summary: {
        default: 'Thank you. We confirm your appointment shortly.',
        ar: 'شكرًا لك. سنؤكد موعدك قريبًا.',
      },
    },
    hand_off: { after_misses: 2 },
  },
  documents: {
    en: [
      {
        name: 'Visiting the clinic',
        text: '# Visiting the clinic\n\n## When are you open?\nThe clinic is open Sunday to Thursday from 8:00 to 20:00 and on Saturday from 9:00 to 14:00.\n\n## Which insurance do you accept?\nWe accept Qatar Insurance, AXA and Bupa. Bring your insurance card.\n\n## How do I prepare for a blood test?\nDo not eat for eight hours before a blood test. You may drink water.',
      },
    ],
    ar: [
      {
        name: 'زيارة العيادة',
        text: '# زيارة العيادة\n\n## متى تفتح العيادة؟\nتفتح العيادة من الأحد إلى الخميس من 8:00 إلى 20:00، ويوم السبت من 9:00 إلى 14:00.\n\n## ما شركات التأمين المقبولة؟\nنقبل تأمين قطر وAXA وBupa. أحضر بطاقة التأمين.\n\n## كيف أستعد لفحص الدم؟\nلا تأكل قبل فحص الدم بثماني ساعات. يمكنك شرب الماء.',
      },
    ],
  },
  cases: {
    en: [
      {
        name: 'Opening hours',
        locale: 'en',
        turns: [{ say: 'When are you open?', expect: { says: '20:00', cites: 'Visiting the clinic' } }],
      },
      {
        name: 'Before a blood test',
        locale: 'en',
        turns: [{ say: 'How do I prepare for a blood test?', expect: { says: 'eight hours' } }],
      },
      {
        name: 'Urgent matters go to a person',
        locale: 'en',
        turns: [{ say: 'I have chest pain', expect: { says: '999', hands_off: true } }],
      },
      {
        name: 'An appointment is taken',
        locale: 'en',
        turns: [
          { say: 'I need an appointment', expect: { says: 'Which department?' } },
          { say: 'Dentistry', expect: { slots: { department: 'dental' }, says: 'which day' } },
        ],
      },
    ],
    ar: [
      {
        name: 'ساعات العمل',
        locale: 'ar',
        turns: [{ say: 'متى تفتح العيادة؟', expect: { says: '20:00', cites: 'زيارة العيادة' } }],
      },
      {
        name: 'قبل فحص الدم',
        locale: 'ar',
        turns: [{ say: 'كيف أستعد لفحص الدم؟', expect: { says: 'بثماني ساعات' } }],
      },
      {
        name: 'العاجل يذهب إلى شخص',
        locale: 'ar',
        turns: [{ say: 'عندي ألم في الصدر', expect: { says: '999', hands_off: true } }],
      },
      {
        name: 'تسجيل موعد',
        locale: 'ar',
        turns: [
          { say: 'أريد موعد', expect: { says: 'أي قسم' } },
          { say: 'الأسنان', expect: { slots: { department: 'dental' }, says: 'في أي يوم' } },
        ],
      },
    ],
  },
};
