import { defineTexts } from '../../../language/texts.tsx';

export const ownCodeTexts = defineTexts(
  {
    url: 'URL of your code',
    url_hint: 'Your code receives each turn as a signed POST and answers it, directly or later.',
    signing: 'Signature of turns',
    signed: 'Turns to {origin} are signed.',
    unsigned: 'There is no secret for this address. The agent cannot answer without a secret.',
    both_until: 'Turns have signatures of both the old and the new secret. This ends',
    no_url: 'Enter the URL and save the draft. After saving, create the secret here.',
    create: 'Create signing secret',
    replace: 'Replace secret',
    replace_hint: 'The old secret also signs for 24 hours.',
  },
  {
    url: 'عنوان URL لبرنامجك',
    url_hint: 'يتلقى كل دور كطلب POST موقّع، ويجيب عنه فورًا أو لاحقًا.',
    signing: 'توقيع الأدوار',
    signed: 'الأدوار المرسلة إلى {origin} موقّعة.',
    unsigned: 'لا سر لهذا العنوان. لا يستطيع الوكيل الإجابة من دونه.',
    both_until: 'يوقّع السر القديم والسر الجديد معًا. ينتهي ذلك',
    no_url: 'أدخل العنوان واحفظ المسودة. بعد الحفظ أنشئ السر هنا.',
    create: 'إنشاء سر التوقيع',
    replace: 'استبدال السر',
    replace_hint: 'يوقّع السر القديم أيضًا لمدة 24 ساعة.',
  },
);
