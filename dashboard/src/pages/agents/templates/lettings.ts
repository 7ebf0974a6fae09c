import type { Template } from './template.ts';

export const lettings: Template = {
  instructions: {
    en: 'You answer tenants and people who look for a home: rent, deposit, viewings, repairs. Name no address that the documents do not name. Water leaks and lost keys go to a person.',
    ar: 'تجيب المستأجرين والباحثين عن سكن عن الإيجار والتأمين والمعاينة والصيانة. لا تذكر عنوانًا ليس في المستندات. حوّل تسرب المياه وضياع المفاتيح إلى شخص.',
  },
  definition: {
    opening: {
      default: 'Hello! Are you looking for a home, or do you live in one of ours?',
      ar: 'أهلًا! هل تبحث عن سكن، أم تسكن لدينا؟',
    },
    rules: [
      {
        name: 'Urgent repair',
        words: ['leak', 'flood', 'no power', 'locked out', 'تسرب', 'انقطاع الكهرباء', 'ضاع المفتاح'],
        tag: 'urgent_repair',
        action: 'hand_off',
      },
      { name: 'Viewing', words: ['viewing', 'visit the flat', 'معاينة'], tag: 'viewing', action: 'start_steps' },
    ],
    steps: {
      start: 'by_rule',
      items: [
        {
          name: 'bedrooms',
          type: 'number',
          ask: { default: 'How many bedrooms do you need?', ar: 'كم غرفة نوم تحتاج؟' },
          min: 0,
          max: 10,
        },
        {
          name: 'phone',
          type: 'phone',
          ask: { default: 'At which number can we call you?', ar: 'على أي رقم نتصل بك؟' },
        },
      ],
      summary: {
        default: 'Thank you. We call you to agree on a time for the viewing.',
        ar: 'شكرًا لك. سنتصل بك لتحديد موعد المعاينة.',
      },
    },
    hand_off: {
      after_misses: 2,
      text: { default: 'A colleague takes care of this now.', ar: 'سيتولى أحد الزملاء ذلك الآن.' },
    },
  },
  documents: {
    en: [
      {
        name: 'Renting a home',
        text: '# Renting a home\n\n## How much is the deposit?\nThe deposit is one month of rent. It is paid back within 30 days after you move out.\n\n## Which documents do I need?\nYou need a copy of your ID and a salary certificate.\n\n## When is the rent due?\nThe rent is due on the first day of each month, by bank transfer or cheque.',
      },
    ],
    ar: [
      {
        name: 'استئجار سكن',
        text: '# استئجار سكن\n\n## كم مبلغ التأمين؟\nمبلغ التأمين إيجار شهر واحد. يُعاد خلال 30 يومًا من خروجك.\n\n## ما المستندات المطلوبة؟\nتحتاج إلى نسخة من الهوية وشهادة راتب.\n\n## متى يستحق الإيجار؟\nيستحق الإيجار في أول يوم من كل شهر، بتحويل مصرفي أو شيك.',
      },
    ],
  },
  cases: {
    en: [
      {
        name: 'The deposit',
        locale: 'en',
        turns: [{ say: 'How much is the deposit?', expect: { says: 'one month', cites: 'Renting a home' } }],
      },
      {
        name: 'When rent is due',
        locale: 'en',
        turns: [{ say: 'When is the rent due?', expect: { says: 'first day' } }],
      },
      {
        name: 'A leak goes to a person',
        locale: 'en',
        turns: [{ say: 'There is a leak in my kitchen', expect: { hands_off: true } }],
      },
      {
        name: 'A viewing is taken',
        locale: 'en',
        turns: [
          { say: 'I would like a viewing', expect: { says: 'bedrooms' } },
          { say: '2', expect: { slots: { bedrooms: 2 } } },
        ],
      },
    ],
    ar: [
      {
        name: 'مبلغ التأمين',
        locale: 'ar',
        turns: [{ say: 'كم مبلغ التأمين؟', expect: { says: 'شهر واحد', cites: 'استئجار سكن' } }],
      },
      {
        name: 'موعد الإيجار',
        locale: 'ar',
        turns: [{ say: 'متى يستحق الإيجار؟', expect: { says: 'أول يوم' } }],
      },
      {
        name: 'التسرب يذهب إلى شخص',
        locale: 'ar',
        turns: [{ say: 'يوجد تسرب في المطبخ', expect: { hands_off: true } }],
      },
      {
        name: 'تسجيل معاينة',
        locale: 'ar',
        turns: [
          { say: 'أريد معاينة', expect: { says: 'غرفة نوم' } },
          { say: '٢', expect: { slots: { bedrooms: 2 } } },
        ],
      },
    ],
  },
};
