import type { AgentDefinition } from '../../contract/agents.ts';

/**
 * The texts and the knowledge of the demo organization's agent. The first answer that a new user sees must include its
 * source.
 */
export const CONCIERGE: AgentDefinition = {
  provider: 'embedded',
  instructions: 'You are the concierge of a small online shop. Be brief, kind and exact; never invent.',
  opening: {
    default:
      'Hello{{#end_user.name}} {{end_user.name}}{{/end_user.name}}! {{#order_id}}I am writing about your order {{order_id}}. {{/order_id}}Ask me about delivery, returns or our opening hours.',
    ar: 'مرحبًا{{#end_user.name}} {{end_user.name}}{{/end_user.name}}! {{#order_id}}أكتب إليك بخصوص طلبك {{order_id}}. {{/order_id}}اسألني عن التوصيل أو الإرجاع أو ساعات العمل.',
    hi: 'नमस्ते{{#end_user.name}} {{end_user.name}}{{/end_user.name}}! {{#order_id}}मैं आपके ऑर्डर {{order_id}} के बारे में लिख रहा हूँ। {{/order_id}}डिलीवरी, वापसी या खुलने के समय के बारे में पूछिए।',
  },
  rules: [{ name: 'Complaint', words: ['complaint', 'شكوى', 'शिकायत'], tag: 'complaint', action: 'hand_off' }],
  hand_off: { after_misses: 3, on_request: true },
};

/** The texts of the demo's web chat before the first message. */
export const CHAT = {
  title: 'Concierge',
  greeting: 'Hello! Ask me about delivery, returns, payment or our opening hours.',
  translations: {
    ar: { greeting: 'مرحبًا! اسألني عن التوصيل أو الإرجاع أو ساعات العمل.' },
    hi: { greeting: 'नमस्ते! डिलीवरी, वापसी या खुलने के समय के बारे में पूछिए।' },
  },
};

export const SHOP_GUIDE = `# Shop guide

## Delivery
- Orders arrive within 2 to 4 working days in the city, and within 7 working days elsewhere.
- Delivery costs 15 riyals; it is free for orders above 200 riyals.
- You can change the delivery address until the parcel has left our store.

## Returns
- You can return any item within 30 days of delivery if it is unused.
- The refund reaches your card within 5 working days after we have received the item.

## Opening hours
| Day | Hours |
|---|---|
| Sunday to Thursday | 9:00 to 21:00 |
| Friday | 14:00 to 22:00 |
| Saturday | 10:00 to 22:00 |

## Payment
We accept credit cards, Apple Pay and cash on delivery.
`;

export const SHOP_GUIDE_AR = `# دليل المتجر

## التوصيل
- تصل الطلبات خلال يومين إلى أربعة أيام عمل داخل المدينة، وخلال سبعة أيام عمل خارجها.
- رسوم التوصيل 15 ريالًا، والتوصيل مجاني للطلبات التي تزيد على 200 ريال.

## الإرجاع
- يمكنك إرجاع أي منتج خلال 30 يومًا من الاستلام إذا لم يُستخدم.
- يصل المبلغ المسترد إلى بطاقتك خلال خمسة أيام عمل بعد وصول المنتج إلينا.

## ساعات العمل
نعمل من الأحد إلى الخميس من التاسعة صباحًا حتى التاسعة مساءً، ويوم الجمعة من الثانية ظهرًا حتى العاشرة مساءً.
`;

export const PEOPLE = [
  {
    external_id: 'crm-42',
    name: 'Asha Menon',
    email: 'asha@example.qa',
    phone: '+97430000000',
    locale: 'en',
    time_zone: 'Asia/Qatar',
  },
  {
    external_id: 'crm-43',
    name: 'ليلى حداد',
    email: 'layla@example.qa',
    phone: '+97430000001',
    locale: 'ar',
    time_zone: 'Asia/Qatar',
  },
  {
    external_id: 'crm-44',
    name: 'रोहन शर्मा',
    email: 'rohan@example.in',
    phone: '+919876543210',
    locale: 'hi',
    time_zone: 'Asia/Kolkata',
  },
];

/** The first question in the Arabic conversation. */
export const ARABIC_QUESTION = 'كم تكلفة التوصيل؟';
