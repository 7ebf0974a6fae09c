import { defineTexts } from '../language/texts.tsx';

/** Texts about signing secrets, which are shown once and can be replaced. */
export const secretTexts = defineTexts(
  {
    secret_ready: 'Copy the signing secret',
    secret_words: 'The secret is shown only once. Your endpoint needs the secret to verify calls from Parley.',
    secret_saved: 'I have saved this secret',
    not_saved: 'Close without saving the secret?',
    not_saved_words: 'The secret cannot be shown again. If you lose the secret, you must replace it.',
    close_anyway: 'Close anyway',
    keep_open: 'Keep it open',
    copy_secret: 'Copy signing secret',
    rotate_title: 'Replace the signing secret?',
    rotate_words:
      'During the overlap, every call has two signatures: one with the old secret and one with the new secret.',
    overlap: 'Keep signing with the old secret for',
    overlap_now: 'No overlap',
    overlap_1h: '1 hour',
    overlap_24h: '24 hours',
    overlap_7d: '7 days',
    secret: 'Signing secret',
    rotate: 'Replace secret',
  },
  {
    secret_ready: 'انسخ سر التوقيع',
    secret_words: 'يظهر السر هذه المرة فقط. تحتاج نقطة نهايتك إلى السر للتحقق من استدعاءات Parley.',
    secret_saved: 'حفظت هذا السر',
    not_saved: 'هل حُفظ السر؟',
    not_saved_words: 'لا يمكن إظهار السر ثانية. إن ضاع السر وجب استبداله.',
    close_anyway: 'إغلاق على أي حال',
    keep_open: 'إبقاؤه مفتوحًا',
    copy_secret: 'نسخ سر التوقيع',
    rotate_title: 'استبدال سر التوقيع؟',
    rotate_words: 'في مدة التداخل يحمل كل استدعاء توقيعين، بالسر القديم وبالجديد.',
    overlap: 'يبقى السر القديم يوقّع',
    overlap_now: 'لا يبقى',
    overlap_1h: 'ساعة',
    overlap_24h: '24 ساعة',
    overlap_7d: '7 أيام',
    secret: 'سر التوقيع',
    rotate: 'استبدال السر',
  },
);
