import type { Template } from './template.ts';

export const shop: Template = {
  instructions: {
    en: 'You answer customers of an online shop: delivery, returns, payment. Be friendly and brief. Give prices and days only as the documents say them. Complaints and damaged goods go to a person.',
    ar: 'تجيب عملاء متجر إلكتروني عن التوصيل والإرجاع والدفع. كن ودودًا وموجزًا. لا تذكر أسعارًا أو أيامًا إلا كما في المستندات. حوّل الشكاوى والبضائع التالفة إلى شخص.',
  },
  definition: {
    opening: {
      default: 'Hello {{end_user.name|there}}! Ask me about delivery, returns or payment.',
      ar: 'أهلًا {{end_user.name|بك}}! اسألني عن التوصيل أو الإرجاع أو الدفع.',
    },
    rules: [
      {
        name: 'Damaged goods',
        words: ['damaged', 'broken', 'wrong item', 'تالف', 'مكسور', 'منتج خاطئ'],
        tag: 'complaint',
        action: 'hand_off',
      },
    ],
    hand_off: {
      after_misses: 2,
      text: { default: 'A colleague will write to you here.', ar: 'سيكتب لك أحد زملائنا هنا.' },
    },
  },
  documents: {
    en: [
      {
        name: 'Delivery',
        text: '# Delivery\n\n## What does delivery cost?\nDelivery costs 15 riyals. Orders over 200 riyals are delivered free.\n\n## How long does delivery take?\nDelivery takes two working days in the city and four elsewhere.',
      },
      {
        name: 'Returns and payment',
        text: '# Returns and payment\n\n## How can I return something?\nYou can return unused items within 14 days. Write to us and a courier picks them up.\n\n## Which payment methods are accepted?\nWe accept cards, Apple Pay and cash on delivery.',
      },
    ],
    ar: [
      {
        name: 'التوصيل',
        text: '# التوصيل\n\n## كم تكلفة التوصيل؟\nتكلفة التوصيل 15 ريالًا. الطلبات فوق 200 ريال توصيلها مجاني.\n\n## كم يستغرق التوصيل؟\nيستغرق التوصيل يومي عمل داخل المدينة وأربعة أيام خارجها.',
      },
      {
        name: 'الإرجاع والدفع',
        text: '# الإرجاع والدفع\n\n## كيف يمكنني إرجاع منتج؟\nيمكنك إرجاع المنتجات غير المستخدمة خلال 14 يومًا. اكتب إلينا ويستلمها المندوب.\n\n## ما طرق الدفع المقبولة؟\nنقبل البطاقات وApple Pay والدفع عند الاستلام.',
      },
    ],
  },
  cases: {
    en: [
      { name: 'Opening', locale: 'en', turns: [{ expect: { says: 'Hello there' } }] },
      {
        name: 'What delivery costs',
        locale: 'en',
        turns: [{ say: 'How much does delivery cost?', expect: { says: ['15 riyals'], cites: 'Delivery' } }],
      },
      {
        name: 'Returns',
        locale: 'en',
        turns: [{ say: 'How can I return something?', expect: { says: '14 days', cites: 'Returns and payment' } }],
      },
      {
        name: 'Damaged goods go to a person',
        locale: 'en',
        turns: [{ say: 'My parcel arrived damaged', expect: { hands_off: true } }],
      },
    ],
    ar: [
      { name: 'الافتتاح', locale: 'ar', turns: [{ expect: { says: 'أهلًا بك', language: 'ar' } }] },
      {
        name: 'تكلفة التوصيل',
        locale: 'ar',
        turns: [{ say: 'كم تكلفة التوصيل؟', expect: { says: ['15 ريالًا'], cites: 'التوصيل' } }],
      },
      {
        name: 'الإرجاع',
        locale: 'ar',
        turns: [{ say: 'كيف يمكنني إرجاع منتج؟', expect: { says: '14 يومًا', cites: 'الإرجاع والدفع' } }],
      },
      {
        name: 'البضاعة التالفة تذهب إلى شخص',
        locale: 'ar',
        turns: [{ say: 'وصل المنتج تالف', expect: { hands_off: true } }],
      },
    ],
  },
};
