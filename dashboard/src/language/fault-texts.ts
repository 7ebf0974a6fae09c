/**
 * The server's fault sentences are in English. This file translates the known sentences to Arabic. The translation does
 * not change a value in a sentence. Unknown sentences stay in English.
 */
export const PIECES: readonly (readonly [pattern: RegExp, arabic: string | ((...values: string[]) => string)])[] = [
  [/^This field is required\.$/, 'هذا الحقل مطلوب.'],
  [/^Give at least one range of hours\.$/, 'أدخل نطاق ساعات واحدًا على الأقل.'],
  [/^This field is not allowed here\.$/, 'هذا الحقل غير مسموح به هنا.'],
  [/^The name of this field is not allowed here\.$/, 'اسم هذا الحقل غير مسموح به هنا.'],
  [/^This value is not allowed here\.$/, 'هذه القيمة غير مسموح بها هنا.'],
  [/^Must not be empty\.$/, 'يجب ألا يكون فارغًا.'],
  [/^Must not contain the same entry twice\.$/, 'يجب ألا يتكرر أي عنصر.'],
  [/^Must have at most ([\d,]+) characters\.$/, (most) => `عدد الأحرف: ${most} على الأكثر.`],
  [/^Must have at least ([\d,]+) characters\.$/, (least) => `عدد الأحرف: ${least} على الأقل.`],
  [/^Must have at most ([\d,]+) entries\.$/, (most) => `عدد العناصر: ${most} على الأكثر.`],
  [/^Must have at least ([\d,]+) entries\.$/, (least) => `عدد العناصر: ${least} على الأقل.`],
  [/^Must be at most ([\d,.-]+)\.$/, (limit) => `يجب أن تكون القيمة ${limit} على الأكثر.`],
  [/^Must be at least ([\d,.-]+)\.$/, (limit) => `يجب أن تكون القيمة ${limit} على الأقل.`],
  [/^Must be less than ([\d,.-]+)\.$/, (limit) => `يجب أن تكون القيمة أصغر من ${limit}.`],
  [/^Must be more than ([\d,.-]+)\.$/, (limit) => `يجب أن تكون القيمة أكبر من ${limit}.`],
  [
    /^Must be ((?:an? (?:string|number|integer|boolean|array|object)|null)(?: or (?:an? \w+|null))*)\.$/,
    (types) => `يجب أن تكون القيمة ${types.split(' or ').map(typeOf).join(' أو ')}.`,
  ],
  [/^Must be one of: (.+)\.$/s, (values) => `يجب أن تكون القيمة واحدة من: ${values}.`],
  [/^Must be a time in RFC 3339 with its offset, such as (\S+)\.$/, (example) => `يجب أن يكون وقتًا مثل ${example}.`],
  [/^Must be a date, such as (\S+)\.$/, (example) => `يجب أن يكون تاريخًا مثل ${example}.`],
  [
    /^Must be one line, without tabs and other control characters\.$/,
    'يجب أن يكون سطرًا واحدًا دون علامات جدولة أو رموز تحكم أخرى.',
  ],
  [/^Must be an e-mail address\.$/, 'يجب أن يكون عنوان بريد إلكتروني.'],
  [/^Must be a phone number in E\.164, such as (\S+)\.$/, (example) => `يجب أن يكون رقم هاتف دوليًا مثل ${example}.`],
  [
    /^Must be a whole URL\. Start with https:\/\/, for example (\S+)\.$/,
    (example) => `يجب أن يكون عنوانًا كاملًا. ابدأ بـ ‎https://‎، مثل ${example}.`,
  ],
  [
    /^This value is not valid\. Start with https:\/\/, for example (\S+)\. No path and no wildcard\.$/,
    (example) => `هذه القيمة غير صالحة. ابدأ بـ ‎https://‎، مثل ${example}، دون مسار ودون رمز نجمة.`,
  ],
  [/^This value is not valid\.( .+)?$/s, (hint = '') => `هذه القيمة غير صالحة.${hint}`],
  [/^Must be a BCP 47 language tag, such as (.+)\.$/, (examples) => `يجب أن يكون رمز لغة مثل ${examples}.`],
  [/^Must be an IANA time zone, such as (\S+)\.$/, (example) => `يجب أن تكون منطقة زمنية مثل ${example}.`],
  [/^Must be an id that starts with (\w+_)\.$/, (start) => `يجب أن يكون معرّفًا يبدأ بـ ${start}.`],
  [/^Must be in the format (.+)\.$/, (format) => `يجب أن تكون القيمة بالصيغة ${format}.`],
  [/^Does not match the format\.$/, 'لا يطابق الصيغة المطلوبة.'],
  [/^Does not match the format: (.+)$/s, (format) => `لا يطابق الصيغة المطلوبة: ${format}`],
  [/^Give the URL of your code\.$/, 'أدخل عنوان URL لبرنامجك.'],
  [
    /^Your own code has no model: omit "model", or choose another provider\.$/,
    'ليس لبرنامجك الخاص نموذج: احذف النموذج أو اختر مزوّدًا آخر.',
  ],
  [/^Only the provider "http" has a URL\.$/, 'العنوان خاص بالمزوّد «http» فقط.'],
  [/^A call of a model may take at most (\d+) seconds\.$/, (most) => `للنموذج ${most} ثانية على الأكثر.`],
  [
    /^The agent has no URL of your code: set "provider": "http" and "url" in its definition first\.$/,
    'ليس للوكيل عنوان لبرنامجك: احفظه في المسودة أولًا.',
  ],
  [/^This name is used twice\.$/, 'هذا الاسم مستخدم مرتين.'],
  [/^This header is listed twice\.$/, 'هذه الترويسة مكررة.'],
  [/^The label must not be blank\.$/, 'يجب ألا تكون التسمية فارغة.'],
  [/^Enter your current password\.$/, 'أدخل كلمة مرورك الحالية.'],
  [/^This password is too common\. Choose another one\.$/, 'كلمة المرور هذه شائعة جدًا. اختر غيرها.'],
  [/^Must be after starts_at\.$/, 'يجب أن يكون بعد وقت البدء.'],
  [/^A rule needs words or a pattern\.$/, 'تحتاج القاعدة إلى كلمات أو نمط.'],
  [/^A rule needs a reply, a tag or an action\.$/, 'تحتاج القاعدة إلى رد أو وسم أو إجراء.'],
  [/^Give the text in at least one language, or omit the field\.$/, 'اكتب النص بلغة واحدة على الأقل، أو احذف الحقل.'],
  [/^Give a bearer token or a user name, not both\.$/, 'أعطِ رمز bearer أو اسم مستخدم، لا كليهما.'],
  [/^The tools of one MCP server have the same URL\.$/, 'لأدوات خادم MCP الواحد العنوان نفسه.'],
  [/^A new issuer needs its own client id and secret\.$/, 'يحتاج المُصدر الجديد إلى معرّف عميل وسرّ خاصين به.'],
  [
    /^The quiet hours cover the whole window: no message could ever be sent\.$/,
    'تغطي ساعات الهدوء النافذة كلها، فلن تُرسل أي رسالة.',
  ],
  // The last entry of the list matches a single value.
  [/^Must be (\S+)\.$/, (value) => `يجب أن تكون القيمة ${value}.`],
];

const TYPES: Readonly<Record<string, string>> = {
  string: 'نصًا',
  number: 'رقمًا',
  integer: 'عددًا صحيحًا',
  boolean: 'true أو false',
  array: 'قائمة',
  object: 'كائنًا',
};
const typeOf = (type: string): string => TYPES[type.replace(/^an? /, '')] ?? 'null';

/** Null: the list does not contain the sentence. */
export function inArabic(detail: string): string | null {
  for (const [pattern, arabic] of PIECES) {
    const found = pattern.exec(detail);
    if (found) return typeof arabic === 'string' ? arabic : arabic(...found.slice(1));
  }
  return null;
}
